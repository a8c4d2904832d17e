import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { FastifyReply } from 'fastify'
import type { Actor } from '../../identity.ts'
import { LargeAnswers } from './large-answers.ts'
import type { Operation } from '../operation.ts'
import { RateLimiter } from '../../rate-limiter.ts'
import { testLimits } from '../../start/test-limits.ts'
import { RequestLimits } from './request-limits.ts'

const reply = { header: () => reply } as unknown as FastifyReply
const small = { action: 'read', answer: { isPaged: false } } as unknown as Operation
const who = { accountId: 'acc_1', actor: { type: 'key', id: 'key_1', name: 'k' } as Actor }

/** Limits of one request a minute, with the list of the waits before refusals. */
function makeLimits() {
  const waits: number[] = []
  const given = { ...testLimits(), requestsOfKey: new RateLimiter(1) }
  const limits = new RequestLimits(given, new LargeAnswers(given), async (ms) => waits.push(ms))
  /** Makes the checks that the server makes; true when the key was looked up. */
  const ask = async (key: string): Promise<boolean> => {
    if (await limits.checkRefused(key, reply, small)) return false
    limits.check(key, { ...who, actor: { ...who.actor, id: key } }, reply, small)
    return true
  }
  return { ask, waits }
}

it('who goes on after a refusal is not looked up, and waits longer each time', async () => {
  const { ask, waits } = makeLimits()
  assert.equal(await ask('a'), true)
  for (let time = 0; time < 6; time++) await assert.rejects(ask('a'), /more than 1 requests/)
  // The first refusal is sent immediately.
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 4_000, 4_000])
  assert.equal(await ask('b'), true)
})
