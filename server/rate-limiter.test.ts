import assert from 'node:assert/strict'
import { it } from 'node:test'
import { RateLimiter } from './rate-limiter.ts'

it('a full bucket may come at once, then tokens return evenly', () => {
  const limiter = new RateLimiter(60)
  for (let left = 59; left >= 0; left--) assert.equal(limiter.take('a', 0).remaining, left)
  assert.deepEqual(limiter.take('a', 0), { allowed: false, remaining: 0, resetSeconds: 1 })
  assert.equal(limiter.take('a', 500).allowed, false)
  assert.equal(limiter.take('a', 1_000).allowed, true)
  assert.equal(limiter.take('a', 1_001).allowed, false)
  assert.equal(limiter.take('b', 1_001).remaining, 59)
})

it('a bucket may hold less than a minute has', () => {
  const limiter = new RateLimiter(60, 10)
  for (let left = 9; left >= 0; left--) assert.equal(limiter.take('a', 0).remaining, left)
  assert.deepEqual(limiter.take('a', 0), { allowed: false, remaining: 0, resetSeconds: 1 })
  limiter.charge('a', 0, 30)
  assert.equal(limiter.take('a', 30_000).allowed, false)
  assert.equal(limiter.take('a', 3_600_000).remaining, 9)
})

it('a key that rested has a full bucket, never more', () => {
  const limiter = new RateLimiter(60)
  limiter.take('a', 0)
  assert.equal(limiter.take('a', 3_600_000).remaining, 59)
})

it('polling once a second never meets the limit of 600', () => {
  const limiter = new RateLimiter(600)
  for (let second = 0; second < 1_000; second++) {
    assert.ok(limiter.take('a', second * 1_000).allowed)
  }
})
