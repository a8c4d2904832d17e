import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultHumanInTheLoop } from '../../workflows/definition.ts'
import { summarizeCall, pendingFor } from './pending.ts'

it('an email is told by whom it goes to and what it is about', () => {
  const input = {
    text: 'Dear Ada',
    subject: 'Your order',
    to: 'ada@example.com',
    cc: 'bo@b.example',
  }
  assert.equal(
    summarizeCall('email.send', input),
    'email.send (to: ada@example.com, subject: Your order, text: Dear Ada, and 1 more)',
  )
})

it('other actions are told by their first arguments, as JSON where they are no text', () => {
  assert.equal(
    summarizeCall('crm.refund', { customer: 'C-17', express: false, items: [1, 2] }),
    'crm.refund (customer: C-17, express: false, items: [1,2])',
  )
  assert.equal(summarizeCall('crm.list', {}), 'crm.list')
  assert.equal(summarizeCall('crm.list', null), 'crm.list')
})

it('nothing of it is hidden, spans lines or goes on without end', () => {
  const text = summarizeCall('a.b', { to: 'x\u200by\u202ez\n\nlater', note: '😀'.repeat(500) })
  assert.equal(text, `a.b (to: xyz later, note: ${'😀'.repeat(79)}…)`)
  const names = summarizeCall('a.b', { ['n'.repeat(500)]: 1 })
  assert.ok(names.length < 60)
})

describe('what a person is asked', () => {
  const runId = 'run_01ktbz3v9se0c9x1hm8q5gkxvn'
  const two = { ...defaultHumanInTheLoop, required_approvals: 2 }
  const step = { position: 2, role: 'writer' }
  const where = { step_order: 2, role: 'writer', call_id: 'call_1', approvers: two.approvers }
  const call = {
    id: 'call_1',
    status: 'proposed' as const,
    toolVersion: 'v1',
    toolChanged: false,
    timesMade: 0,
    unknownReason: null,
  }
  const send = { ...call, tool: 'email.send', input: { to: 'a' } }

  it('is the question, the action, or whether to repeat it', () => {
    const asks = { ...call, tool: 'request_input', input: { question: 'Why?' }, toolVersion: null }
    const { id, ...question } = pendingFor(runId, step, asks, undefined, two)
    assert.match(id, /^pnd_\w{26}$/)
    assert.deepEqual(question, { kind: 'input', prompt: 'Why?', ...where })
    const approval = pendingFor(runId, step, send, undefined, two)
    assert.deepEqual(
      [approval.kind, approval.tool_input, approval.tool_version],
      ['approval', { to: 'a' }, 'v1'],
    )
    assert.deepEqual(approval.approvals, { required: 2, given: 0, by: [] })
    const why = 'It never did before.'
    const { prompt } = pendingFor(runId, step, { ...send, why }, undefined, two)
    assert.equal(prompt, `${approval.prompt} ${why}`)
    const promptFor = (timesMade: number) =>
      pendingFor(runId, step, { ...send, status: 'unknown', timesMade }, undefined, two).prompt
    const unknown = 'It is unknown whether email.send (to: a) was done'
    assert.ok(promptFor(1).startsWith(`${unknown}. Approve to do it again`))
    const reason = 'it gave no\nanswer within 30 s'
    const told = { ...send, status: 'unknown', timesMade: 1, unknownReason: reason } as const
    assert.ok(
      pendingFor(runId, step, told, undefined, two).prompt.startsWith(
        `${unknown}: "it gave no answer within 30 s". Approve`,
      ),
    )
    assert.ok(promptFor(0).startsWith(`${unknown} already: this database is a restored copy`))
  })

  it('has an id that follows from what is asked', () => {
    const idOf = (fields: object) =>
      pendingFor(runId, step, { ...send, ...fields }, undefined, two).id
    assert.equal(idOf({}), idOf({}))
    const others = [
      { input: { to: 'b' } },
      { status: 'unknown' },
      { timesMade: 1 },
      { id: 'call_2' },
    ]
    assert.equal(new Set([{}, ...others].map(idOf)).size, 5)
  })

  it('shows the action as it is now where it has changed, without a schema that is long', () => {
    const ask = (inputSchema: object) =>
      pendingFor(
        runId,
        step,
        { ...send, toolChanged: true },
        { description: 'd', inputSchema },
        two,
      )
    const { prompt, tool_changed } = ask({ type: 'object' })
    assert.match(prompt, /^email\.send .* changed .* writer asks to run email\.send \(to: a\)\.$/)
    assert.deepEqual(tool_changed, { description: 'd', input_schema: { type: 'object' } })
    assert.equal(ask({ title: 'x'.repeat(9000) }).tool_changed?.input_schema, null)
  })
})
