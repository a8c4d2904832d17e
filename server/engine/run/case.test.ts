import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { caseIdOf, isOfCase, requestsOf, restOf, toCase, waitFor } from './case.ts'
import type { PendingRequest } from './pending.ts'

const request = (name: string, fields: Partial<PendingRequest> = {}): PendingRequest => ({
  id: `pnd_${name}`,
  kind: 'approval',
  prompt: name,
  call_id: `call_${name}`,
  tool: 'email.send',
  tool_input: { to: name },
  step_order: 0,
  role: 'clerk',
  approvers: { users: [], roles: ['approver'] },
  approvals: { required: 2, given: 0, by: [] },
  ...fields,
})
const [a, b, c] = [request('a'), request('b'), request('c')]
const ids = (pending: PendingRequest) => requestsOf(pending).map(({ id }) => id)

describe('a case', () => {
  it('shows its first call as the request, and all of them beside it', () => {
    const pending = toCase([a, b])
    const { calls, case_id, ...first } = pending
    assert.deepEqual(first, a)
    assert.deepEqual([case_id, ids(pending)], ['pnd_a', ['pnd_a', 'pnd_b']])
    assert.deepEqual(Object.keys(calls?.[1] ?? {}).includes('approvers'), false)
    assert.deepEqual(requestsOf(pending), [a, b], 'each as if it were alone')
  })

  it('of one call is that request, and nothing more', () => {
    assert.deepEqual(toCase([a]), a)
    assert.deepEqual(requestsOf(a), [a])
    assert.equal(caseIdOf(a), 'pnd_a')
  })

  it('has its own id and those of its requests', () => {
    const rest = restOf(toCase([a, b, c]), new Map([['pnd_a', 'decided' as const]]))
    assert.ok(rest)
    const found = ['pnd_a', 'pnd_b', 'pnd_c', 'pnd_d'].map((id) => isOfCase(rest, id))
    assert.deepEqual(found, [true, true, true, false])
  })

  it('keeps its id and the requests that are left while others are decided', () => {
    const rest = restOf(toCase([a, b, c]), new Map([['pnd_a', 'decided' as const]]))
    assert.deepEqual(rest && [rest.id, caseIdOf(rest), ids(rest)], [
      'pnd_b',
      'pnd_a',
      ['pnd_b', 'pnd_c'],
    ])
    const last = rest && restOf(rest, new Map([['pnd_c', 'decided' as const]]))
    assert.deepEqual(last, { ...b, case_id: 'pnd_a' })
    assert.equal(last && restOf(last, new Map([['pnd_b', 'decided' as const]])), null)
  })

  it('is another where a call has other arguments now', () => {
    const edited = { ...b, id: 'pnd_x', tool_input: { to: 'x' } }
    const rest = restOf(toCase([a, b]), new Map([['pnd_b', edited]]))
    assert.deepEqual(rest && [caseIdOf(rest), ids(rest)], ['pnd_x', ['pnd_a', 'pnd_x']])
    const once = { ...b, approvals: { required: 2, given: 1, by: [] } }
    const counted = restOf(toCase([a, b]), new Map([['pnd_b', once]]))
    assert.equal(counted && caseIdOf(counted), 'pnd_a', 'an approval changes no arguments')
  })
})

describe('a wait', () => {
  const by = [{ id: 'usr_1', name: 'Ann', reason: null, at: '' }]
  const approved = { ...b, approvals: { required: 2, given: 1, by } }
  const left = { pending: toCase([approved, c], 'pnd_a'), left_seconds: 12.3 }

  it('begins with all calls and the whole time', () => {
    const { pending, timeoutSeconds } = waitFor([a, b], 60)
    assert.deepEqual(
      [ids(pending), caseIdOf(pending), timeoutSeconds],
      [['pnd_a', 'pnd_b'], 'pnd_a', 60],
    )
  })

  it('goes on where the case was left: with its id, its approvals and its time', () => {
    const { pending, timeoutSeconds } = waitFor([b, c], 60, left)
    assert.deepEqual([pending, timeoutSeconds], [left.pending, 13])
    assert.equal(waitFor([b, c], null, { ...left, left_seconds: null }).timeoutSeconds, null)
    assert.equal(waitFor([b, c], 60, { ...left, left_seconds: -5 }).timeoutSeconds, 1)
  })

  it('keeps other arguments that a person gave, whose id is not derived', () => {
    const edited = { ...b, id: 'pnd_x', prompt: 'x', tool_input: { to: 'x' } }
    const open = { pending: toCase([edited], 'pnd_x'), left_seconds: null }
    const asked = { ...edited, id: 'pnd_derived' }
    assert.equal(waitFor([asked], null, open).pending.id, 'pnd_x')
  })

  it('begins anew where something is asked that was not', () => {
    const repeat = { ...a, id: 'pnd_again', prompt: 'It is unknown …' }
    const { pending, timeoutSeconds } = waitFor([repeat, b, c], 60, left)
    assert.deepEqual([caseIdOf(pending), timeoutSeconds], ['pnd_again', 60])
    assert.deepEqual(ids(pending), ['pnd_again', 'pnd_b', 'pnd_c'])
    assert.deepEqual(requestsOf(pending)[1]?.approvals, approved.approvals, 'approvals stay')
  })

  it('has what fits into its bytes; the first call always does', () => {
    const large = (name: string) => request(name, { tool_input: { text: 'x'.repeat(100_000) } })
    const all = ['a', 'b', 'c', 'd'].map(large)
    assert.deepEqual(ids(waitFor(all, null).pending), ['pnd_a', 'pnd_b'])
    const huge = request('h', { tool_input: { text: 'x'.repeat(300_000) } })
    assert.deepEqual(ids(waitFor([huge, a], null).pending), ['pnd_h'])
  })
})
