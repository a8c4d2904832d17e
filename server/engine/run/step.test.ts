import assert from 'node:assert/strict'
import { it } from 'node:test'
import { promptOf, toFinishReason, warningsOf } from './step.ts'

it('the prompt of a run has its data once', () => {
  assert.equal(promptOf('Write.', null), 'Write.')
  assert.equal(promptOf('{"a":1}', { a: 1 }), '{"a":1}')
  assert.equal(promptOf('Write.', { a: 1 }), 'Write.\n\n## Data\n\n{"a":1}')
})

it('the warning about a cut answer names the limit that was reached', () => {
  const facts = {
    durationMs: 1,
    requestId: null,
    toolsHash: null,
    finishReason: 'length',
    model: 'm',
  } as const
  const step = { position: 1, role: 'writer', model: 'm', facts }
  const messageOf = (maxTokens: number | null) =>
    warningsOf({ ...step, maxTokens }).map(({ message }) => message)
  assert.deepEqual(messageOf(500), [
    'step 2 (writer): the answer was cut off at maxTokens of 500 and is incomplete',
  ])
  assert.deepEqual(messageOf(null), [
    "step 2 (writer): the answer was cut off at the model's own limit and is incomplete",
  ])
})

it('a reason to stop that is not known is another one', () => {
  assert.deepEqual(['stop', 'length', 'tool-calls'].map(toFinishReason), [
    'stop',
    'length',
    'other',
  ])
})
