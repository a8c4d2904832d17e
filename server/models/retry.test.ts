import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelError, type ModelErrorKind } from './contract.ts'
import { decideRetry } from './retry.ts'

const failed = (kind: ModelErrorKind, retryAfterMs?: number): ModelError =>
  new ModelError(kind, 'Cannot run it', { retryAfterMs })
const most = (): number => 1
const none = (): number => 0

void test('limits are waited for in ten tries, with waits that double up to a minute', () => {
  const tries = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  const decisions = tries.map((count) => decideRetry(failed('rate_limited'), count, most))
  assert.deepEqual(decisions, [
    ...[500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].map((delayMs) => ({
      kind: 'retry',
      delayMs,
      maxTries: 10,
    })),
    { kind: 'fail' },
  ])
})

void test('a provider that stays silent is asked six times', () => {
  assert.equal(decideRetry(failed('timeout'), 5).kind, 'retry')
  assert.equal(decideRetry(failed('timeout'), 6).kind, 'fail')
})

void test('bad answers are tried three times', () => {
  assert.equal(decideRetry(failed('bad_answer'), 2).kind, 'retry')
  assert.equal(decideRetry(failed('bad_answer'), 3).kind, 'fail')
})

void test('what will not pass is never tried again', () => {
  for (const kind of ['rejected', 'not_available', 'aborted', 'held', 'shortage'] as const) {
    assert.deepEqual(decideRetry(failed(kind), 1), { kind: 'fail' })
  }
})

void test('waits are drawn from nothing up to their ceiling', () => {
  assert.deepEqual(decideRetry(failed('timeout'), 3, none), {
    kind: 'retry',
    delayMs: 0,
    maxTries: 6,
  })
  assert.deepEqual(
    decideRetry(failed('timeout'), 3, () => 0.5),
    { kind: 'retry', delayMs: 1_000, maxTries: 6 },
  )
})

void test('Retry-After is the least wait', () => {
  assert.deepEqual(decideRetry(failed('rate_limited', 30_000), 1, none), {
    kind: 'retry',
    delayMs: 30_000,
    maxTries: 10,
  })
  assert.deepEqual(decideRetry(failed('unavailable', 30_000), 1, most), {
    kind: 'retry',
    delayMs: 30_500,
    maxTries: 10,
  })
})

void test('a model that fails while others of its provider answer is tried ten times', () => {
  assert.equal(decideRetry(failed('unavailable'), 9).kind, 'retry')
  assert.equal(decideRetry(failed('unavailable'), 10).kind, 'fail')
})
