import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { DomainError, errorCodes, type ErrorCode } from '../errors.ts'
import { attempt, done, maxTries, outcomeOf, waitSeconds, type Attempted } from './outcome.ts'

const log = pino({ level: 'silent' })
const failing = (tries: number, error: unknown): Promise<Attempted<string>> =>
  attempt({ log, tries, what: 'an item', facts: {} }, () => Promise.reject(error))

describe('the outcome of an error', () => {
  it('is later for what passes, refused for what does not, and none for a fault', () => {
    const kinds = Object.groupBy(Object.keys(errorCodes) as ErrorCode[], (code) => {
      const outcome = outcomeOf(new DomainError(code, 'Cannot do it: why'))
      return outcome?.kind ?? 'none'
    })
    assert.deepEqual(kinds.none, ['internal'])
    const later = [
      'account_suspended',
      'workflow_paused',
      'quota_reached',
      'budget_reached',
      'rate_limited',
      'database_unavailable',
      'files_unavailable',
    ] as const
    for (const code of later) assert.ok(kinds.later?.includes(code), code)
    for (const code of ['not_found', 'invalid_data', 'string_too_long', 'crew_changed'] as const)
      assert.ok(kinds.refused?.includes(code), code)
  })

  it('is later where the error says when to retry', () => {
    const error = new DomainError('invalid_data', 'Cannot do it', { retryAfterSeconds: 2 })
    assert.deepEqual(outcomeOf(error), { kind: 'later', why: 'Cannot do it', seconds: 2, error })
  })

  it('is later for an outage of the database, which is no try', async () => {
    const gone = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    const { kind, tries } = await failing(3, gone)
    assert.deepEqual([kind, tries], ['later', 3])
  })
})

describe('an item that fails', () => {
  it('is tried five times over at least a minute, then refused with the error', async () => {
    let tries = 0
    let seconds = 0
    for (let number = 1; number < maxTries; number++) {
      const outcome = await failing(tries, new RangeError('Invalid string length'))
      assert.ok(outcome.kind === 'later', outcome.kind)
      assert.match(outcome.why, /Invalid string length/)
      tries = outcome.tries
      seconds += outcome.seconds
    }
    assert.ok(seconds >= 60, `${seconds} s`)
    const last = await failing(tries, new RangeError('Invalid string length'))
    assert.deepEqual(
      { kind: last.kind, tries: last.tries, why: last.kind === 'refused' ? last.why : '' },
      {
        kind: 'refused',
        tries: 5,
        why: 'It failed 5 times: an internal error (Invalid string length)',
      },
    )
  })

  it('says of an error of the database its code alone', async () => {
    const error = Object.assign(new Error('secret "abc" is wrong'), { code: 'XX000' })
    const outcome = await failing(0, error)
    assert.equal(
      outcome.kind === 'later' && outcome.why,
      'It is tried again: the database refused it (XX000)',
    )
  })

  it('is not tried again for an outcome', async () => {
    const outcome = await attempt({ log, tries: 2, what: 'x', facts: {} }, async () => done('a'))
    assert.deepEqual(outcome, { kind: 'done', value: 'a', tries: 2 })
  })
})

it('an item that waits long is tried less often, but once a minute', () => {
  const after = (age: number) => waitSeconds({ seconds: 15 }, age)
  assert.deepEqual([after(0), after(100), after(86_400)], [15, 25, 60])
})
