import assert from 'node:assert/strict'
import { it } from 'node:test'
import { warningsOfCalls } from './undone-calls.ts'

type Call = Parameters<typeof warningsOfCalls>[0][number]

const call = (fields: Partial<Call>): Call => ({
  turn: 0,
  tool: 'sink.write',
  input: { text: 'a' },
  sensitive: true,
  status: 'failed',
  output: 'no such channel',
  decision: null,
  timesMade: 1,
  ...fields,
})
const done = (fields: Partial<Call>): Call =>
  call({ turn: 1, status: 'succeeded', output: 'ok', ...fields })
const messages = (...calls: Call[]): string[] =>
  warningsOfCalls(calls).map(({ code, message }) => `${code}: ${message}`)

it('a call whose action was not done is a warning, by its outcome', () => {
  assert.deepEqual(messages(call({})), ['action_failed: sink.write failed: no such channel'])
  const output = 'This call was not made: Slack is not connected.'
  assert.deepEqual(messages(call({ output, timesMade: 0 })), [
    'action_failed: sink.write was not made: Slack is not connected.',
  ])
  assert.deepEqual(messages(call({ status: 'unknown' })), [
    'action_unknown: sink.write may not have been done',
  ])
  const refused = { status: 'rejected', decision: 'refused' } as const
  assert.deepEqual(messages(call(refused)), ['action_refused: sink.write was refused and not done'])
  // Approved, then forbidden before it went out.
  assert.deepEqual(messages(call({ ...refused, decision: 'approved' })), [
    'action_refused: sink.write was refused and not done',
  ])
  assert.deepEqual(messages(call({ status: 'rejected', decision: 'expired' })), [
    'action_failed: sink.write was not done: no one answered in time',
  ])
})

it("a success, a person's rejection and an unanswered question are none", () => {
  assert.deepEqual(messages(done({})), [])
  assert.deepEqual(messages(call({ status: 'rejected', decision: 'rejected' })), [])
  assert.deepEqual(messages(call({ status: 'unknown', decision: 'rejected' })), [])
  const question = { tool: 'request_input', status: 'rejected', decision: 'expired' } as const
  assert.deepEqual(messages(call(question)), [])
})

it('a later call makes good what an earlier one did not do', () => {
  // Arguments that did not fit, and a read: any later success of the tool.
  assert.deepEqual(messages(call({ timesMade: 0 }), done({ input: { text: 'b' } })), [])
  assert.deepEqual(messages(call({ sensitive: false }), done({ input: { text: 'b' } })), [])
  // An action that was tried: the same arguments, in whatever order.
  assert.deepEqual(messages(call({ input: { a: 1, b: 2 } }), done({ input: { b: 2, a: 1 } })), [])
  assert.equal(messages(call({}), done({ input: { text: 'b' } })).length, 1)
  assert.equal(messages(call({}), done({ tool: 'sink.other' })).length, 1)
  // Not a call of the same turn or of an earlier one.
  assert.equal(messages(call({}), done({ turn: 0 })).length, 1)
})

it('calls of one tool are counted in one warning, whose reason is one bounded line', () => {
  const output = `first\nsecond\u200B ${'x'.repeat(500)}`
  const [long = '', ...others] = messages(call({}), call({ input: { text: 'b' }, output }))
  assert.deepEqual(others, [])
  assert.match(long, /^action_failed: sink.write failed 2 times: first second x+…$/)
  assert.ok(long.length < 250)
})
