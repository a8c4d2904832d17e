import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  judgeAnswer,
  readGiven,
  requestFor,
  requestsFor,
  type Case,
  type GivenAnswer,
  type GivenDecision,
} from './answer.ts'
import { toCase } from './case.ts'
import type { PendingRequest } from './pending.ts'

const approvers = { users: [], roles: ['approver', 'member', 'admin'] } as never
const approval = {
  id: 'pnd_1',
  kind: 'approval',
  prompt: 'p',
  step_order: 0,
  role: 'clerk',
  call_id: 'call_1',
  tool: 'email.send',
  tool_input: { to: 'a' },
  approvers,
  approvals: { required: 1, given: 0, by: [] },
} satisfies PendingRequest
const question: PendingRequest = { ...approval, kind: 'input' }
const user = { type: 'user', id: 'usr_1', name: 'Ann', sessionId: 's' } as const
const other = { ...user, id: 'usr_2', name: 'Bob' }

function judge(change: Partial<Case> & { answer: GivenAnswer }) {
  return judgeAnswer({
    pending: approval,
    isOverdue: false,
    triggerers: [],
    call: {
      tool: 'email.send',
      sensitive: true,
      status: 'proposed',
      output: null,
      decision: null,
      unknownReason: null,
      isEdited: false,
    },
    policies: { require_pending_id: false, four_eyes: false },
    sender: { actor: user, role: 'approver' },
    at: new Date(0),
    newPendingId: 'pnd_2',
    ...change,
  })
}

const codeOf = (found: { kind: string; code?: string; param?: string }) =>
  found.kind === 'refused' ? [found.code, found.param] : found.kind

describe('the request that an answer is for', () => {
  const waiting = { status: 'waiting_input', pending: approval } as const
  const asking = { status: 'waiting_input', pending: question } as const
  it('is what waits, also for an answer that names none', () => {
    assert.equal(codeOf(requestFor(waiting, { action: 'approve' })), 'fits')
    assert.equal(codeOf(requestFor(waiting, { action: 'reject', pending_id: 'pnd_1' })), 'fits')
    assert.equal(codeOf(requestFor(asking, { action: 'input', input: 'x' })), 'fits')
  })
  it('is refused where the answer does not fit it', () => {
    const cases: [Parameters<typeof requestFor>[0], GivenAnswer, unknown][] = [
      [{ status: 'running', pending: null }, { action: 'approve' }, ['run_not_waiting', undefined]],
      [waiting, { action: 'approve', pending_id: 'pnd_0' }, ['pending_mismatch', undefined]],
      [waiting, { action: 'input', input: 'x' }, ['action_mismatch', 'action']],
      [asking, { action: 'approve' }, ['action_mismatch', 'action']],
      [asking, { action: 'input' }, ['required', 'input']],
      [waiting, { action: 'approve', input: 'x' }, ['invalid_value', 'input']],
      [waiting, { action: 'reject', input: 'x' }, ['invalid_value', 'input']],
      [waiting, { action: 'reject', tool_input: {} }, ['invalid_value', 'tool_input']],
    ]
    for (const [run, answer, expected] of cases) {
      assert.deepEqual(codeOf(requestFor(run, answer)), expected)
    }
  })
  it('about a budget takes a total over what the run has cost, with approve alone', () => {
    const cost = { spent_usd: 5, limit_usd: 5, estimate_usd: 0.1, run_cost_usd: 2 }
    const { tool: _, tool_input: __, call_id: ___, ...rest } = approval
    const run = {
      status: 'waiting_input',
      pending: { ...rest, kind: 'budget', cost } as PendingRequest,
    } as const
    const found = (answer: GivenAnswer) => codeOf(requestFor(run, answer))
    assert.equal(found({ action: 'approve', max_cost_usd: 2.01 }), 'fits')
    assert.equal(found({ action: 'reject' }), 'fits')
    assert.deepEqual(found({ action: 'approve' }), ['required', 'max_cost_usd'])
    assert.deepEqual(found({ action: 'approve', max_cost_usd: 2 }), [
      'invalid_value',
      'max_cost_usd',
    ])
    assert.deepEqual(found({ action: 'reject', max_cost_usd: 9 }), [
      'invalid_value',
      'max_cost_usd',
    ])
    assert.deepEqual(codeOf(requestFor(waiting, { action: 'approve', max_cost_usd: 9 })), [
      'invalid_value',
      'max_cost_usd',
    ])
  })
})

describe('decisions about several calls', () => {
  const second = { ...approval, id: 'pnd_b', call_id: 'call_2' }
  const third = { ...question, id: 'pnd_c', call_id: 'call_3' }
  const waiting = { status: 'waiting_input', pending: toCase([approval, second, third]) } as const
  const yes = (call_id: string) => ({ call_id, action: 'approve' as const })

  it('are each for the request of its call; a plain answer is for the first, or the one that it names', () => {
    const found = requestsFor(waiting, { decisions: [yes('call_2'), yes('call_1')] })
    assert.ok(found.kind === 'fit')
    const seen = found.answers.map(({ pending, path }) => [pending.id, pending.role, path])
    assert.deepEqual(seen, [
      ['pnd_b', 'clerk', 'decisions[0].'],
      ['pnd_1', 'clerk', 'decisions[1].'],
    ])
    const plain = (answer: GivenAnswer) => {
      const one = requestsFor(waiting, answer)
      return one.kind === 'fit' ? one.answers[0]?.pending.id : codeOf(one)
    }
    assert.equal(plain({ action: 'approve' }), 'pnd_1')
    assert.equal(plain({ action: 'approve', pending_id: 'pnd_b' }), 'pnd_b')
    assert.equal(plain({ action: 'input', input: 'x', pending_id: 'pnd_c' }), 'pnd_c')
    assert.deepEqual(plain({ action: 'input', input: 'x' }), ['action_mismatch', 'action'])
    assert.deepEqual(plain({ action: 'approve', pending_id: 'pnd_0' }), [
      'pending_mismatch',
      undefined,
    ])
  })

  it('are refused together where one does not fit', () => {
    const wrong: [GivenDecision, unknown][] = [
      [yes('call_0'), ['unknown_call', 'decisions[1].call_id']],
      [yes('call_1'), ['invalid_value', 'decisions[1].call_id']],
      [yes('call_3'), ['action_mismatch', 'decisions[1].action']],
      [{ call_id: 'call_3', action: 'input' }, ['required', 'decisions[1].input']],
      [{ ...yes('call_2'), input: 'x' }, ['invalid_value', 'decisions[1].input']],
      [{ ...yes('call_2'), pending_id: 'pnd_1' }, ['pending_mismatch', undefined]],
    ]
    for (const [decision, expected] of wrong) {
      const found = requestsFor(waiting, { decisions: [yes('call_1'), decision] })
      assert.deepEqual(codeOf(found), expected)
    }
    const ended = requestsFor({ status: 'failed', pending: null }, { decisions: [yes('call_1')] })
    assert.deepEqual(codeOf(ended), ['run_not_waiting', undefined])
    const one = requestsFor({ ...waiting, pending: approval }, { decisions: [yes('call_1')] })
    assert.equal(one.kind, 'fit', 'also about the only call')
  })

  it('come alone in a body, which has them or an action', () => {
    const decisions = [yes('call_1')]
    assert.deepEqual(codeOf(readGiven({})), ['required', 'action'])
    for (const field of [
      { action: 'approve' as const },
      { pending_id: 'x' },
      { max_cost_usd: 1 },
    ]) {
      assert.deepEqual(codeOf(readGiven({ decisions, ...field })), [
        'invalid_value',
        Object.keys(field)[0],
      ])
    }
    assert.equal(readGiven({ decisions }).kind, 'read')
    assert.equal(readGiven({ action: 'reject', reason: 'no' }).kind, 'read')
  })
})

describe('an answer', () => {
  it('decides the call', () => {
    const approved = judge({ answer: { action: 'approve' } })
    assert.ok(approved.kind === 'decided')
    assert.deepEqual([approved.state.decision, approved.state.status], ['approved', 'approved'])
    assert.deepEqual(approved.approvals, [], 'one is enough')
    const edited = judge({ answer: { action: 'approve', tool_input: { to: 'b' } } })
    assert.equal(edited.kind === 'decided' && edited.state.decision, 'edited')
    const rejected = judge({ answer: { action: 'reject', reason: 'no' } })
    assert.match((rejected.kind === 'decided' && rejected.state.output) || '', /Reason: no/)
    const answered = judge({ pending: question, answer: { action: 'input', input: 'blue' } })
    assert.equal(answered.kind === 'decided' && answered.state.output, 'blue')
  })

  it('is refused where its sender may not give it', () => {
    const two = { ...approval, approvals: { required: 2, given: 0, by: [] } }
    const byAnn = { id: user.id, name: 'Ann', reason: null, at: '' }
    const approve = { action: 'approve' } as const
    const cases: [Partial<Case>, GivenAnswer, unknown][] = [
      [{ isOverdue: true }, approve, ['run_not_waiting', undefined]],
      [
        { policies: { require_pending_id: true, four_eyes: false } },
        approve,
        ['required', 'pending_id'],
      ],
      [{ sender: { actor: user, role: 'viewer' } }, approve, ['not_an_approver', undefined]],
      [
        { policies: { require_pending_id: false, four_eyes: true }, triggerers: [user.id] },
        approve,
        ['four_eyes', undefined],
      ],
      [
        { pending: two, sender: { actor: { type: 'key', id: 'key_1', name: 'k' }, role: 'admin' } },
        approve,
        ['user_required', undefined],
      ],
      [
        { pending: { ...two, approvals: { required: 2, given: 1, by: [byAnn] } } },
        approve,
        ['already_approved', undefined],
      ],
    ]
    for (const [change, answer, expected] of cases) {
      assert.deepEqual(codeOf(judge({ ...change, answer })), expected)
    }
    const triggerer = {
      policies: { require_pending_id: false, four_eyes: true },
      triggerers: [user.id],
    }
    assert.equal(judge({ ...triggerer, answer: { action: 'reject' } }).kind, 'decided')
  })

  it('counts as one of several approvals, which begin anew with other arguments', () => {
    const two = { ...approval, approvals: { required: 2, given: 0, by: [] } }
    const first = judge({ pending: two, answer: { action: 'approve' } })
    assert.ok(first.kind === 'waits')
    assert.deepEqual([first.given, first.required, first.isAnother], [1, 2, false])
    const bob = { actor: other, role: 'approver' } as const
    const last = judge({ pending: first.pending, sender: bob, answer: { action: 'approve' } })
    assert.ok(last.kind === 'decided')
    assert.deepEqual(
      last.approvals.map(({ name }) => name),
      ['Ann', 'Bob'],
    )
    const tool_input = { to: 'b' }
    const edited = judge({
      pending: first.pending,
      sender: bob,
      answer: { action: 'approve', tool_input },
    })
    assert.ok(edited.kind === 'waits' && edited.isAnother)
    const { id, approvals } = edited.pending
    assert.deepEqual([id, approvals?.given, edited.pending.tool_input], ['pnd_2', 1, tool_input])
    assert.doesNotMatch(edited.pending.prompt, /has changed/)
    const tool_changed = { description: 'Sends.', input_schema: null }
    const ofChanged = judge({
      pending: { ...first.pending, tool_changed },
      sender: bob,
      answer: { action: 'approve', tool_input },
    })
    assert.ok(ofChanged.kind === 'waits')
    assert.match(ofChanged.pending.prompt, /^email\.send or its connection has changed/)
  })

  it('that repeats an action takes no other arguments', () => {
    const call = {
      tool: 'email.send',
      sensitive: true,
      status: 'unknown',
      output: null,
      decision: null,
      unknownReason: null,
      isEdited: true,
    } as const
    const edited = judge({ call, answer: { action: 'approve', tool_input: {} } })
    assert.deepEqual(codeOf(edited), ['invalid_value', 'tool_input'])
    const again = judge({ call, answer: { action: 'approve' } })
    assert.equal(again.kind === 'decided' && again.state.decision, 'approved')
  })
})
