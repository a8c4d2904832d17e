import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isRepeatable } from './idempotency.ts'

it('a stored response may be lost in a crash only if a repeat makes the same one', () => {
  const creates = 'run'
  assert.equal(isRepeatable({ creates }, 201), true)
  assert.equal(isRepeatable({}, 200), false)
  assert.equal(isRepeatable(undefined, 200), false)
  assert.equal(isRepeatable({ creates, answersSecret: true }, 201), false)
  assert.equal(isRepeatable({ creates, answersSecret: true }, 409), true, 'a refusal has no secret')
})
