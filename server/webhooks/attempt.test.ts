import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../start/config.ts'
import { decideNext, isSuccess, readRetryAfter, type AttemptResult } from './attempt.ts'

const schedule = readConfig({}).webhookSchedule
const failed: AttemptResult = { status: 500, retryAfterSeconds: undefined }
const after = (scheduledBefore: number, fields: Partial<Parameters<typeof decideNext>[0]> = {}) =>
  decideNext({ result: failed, isManual: false, scheduledBefore, ...fields }, schedule, () => 0.5)

describe('what follows an attempt', () => {
  it('is the end for 2xx only', () => {
    for (const status of [200, 204, 299]) {
      assert.deepEqual(after(0, { result: { ...failed, status } }), { kind: 'succeeded' })
    }
    for (const status of [0, 199, 300, 301, 404, 410, 500]) assert.ok(!isSuccess(status))
  })

  it('follows the schedule of eight attempts, then is a failed event', () => {
    const delays = schedule.map((_, scheduledBefore) => after(scheduledBefore))
    assert.deepEqual(delays, [
      ...[5, 300, 1800, 7200, 18_000, 36_000, 36_000].map((delaySeconds) => ({
        kind: 'pending',
        delaySeconds,
      })),
      { kind: 'failed', isFailedEvent: true },
    ])
  })

  it('varies by a fifth', () => {
    const delay = (random: number) =>
      decideNext({ result: failed, isManual: false, scheduledBefore: 1 }, schedule, () => random)
    assert.deepEqual(delay(0), { kind: 'pending', delaySeconds: 240 })
    assert.deepEqual(delay(1), { kind: 'pending', delaySeconds: 360 })
  })

  it('honours Retry-After up to twice the step, and never shortens it', () => {
    const asked = (retryAfterSeconds: number) =>
      after(1, { result: { ...failed, status: 429, retryAfterSeconds } })
    assert.deepEqual(asked(400), { kind: 'pending', delaySeconds: 400 })
    assert.deepEqual(asked(9_999), { kind: 'pending', delaySeconds: 600 })
    assert.deepEqual(asked(1), { kind: 'pending', delaySeconds: 300 })
  })

  it('takes no step and is no failed event when the attempt was by hand', () => {
    assert.deepEqual(after(1, { isManual: true }), { kind: 'pending', delaySeconds: 5 })
    assert.deepEqual(after(8, { isManual: true }), { kind: 'failed', isFailedEvent: false })
  })
})

it('Retry-After is read as seconds or as a date', () => {
  const now = Date.parse('2026-11-21T09:00:00Z')
  assert.equal(readRetryAfter('120', now), 120)
  assert.equal(readRetryAfter('Sat, 21 Nov 2026 09:01:00 GMT', now), 60)
  assert.equal(readRetryAfter('Sat, 21 Nov 2026 08:00:00 GMT', now), 0)
  for (const bad of [undefined, '', 'soon', '-1']) {
    assert.ok((readRetryAfter(bad, now) ?? 0) === 0)
  }
})
