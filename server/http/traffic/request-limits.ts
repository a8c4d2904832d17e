import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Identity } from '../../identity.ts'
import { DomainError } from '../../errors.ts'
import type { LargeAnswers } from './large-answers.ts'
import { isLarge, type Operation } from '../operation.ts'
import { RateLimiter, type RateLimitState } from './rate-limit.ts'

type Who = Pick<Identity, 'accountId' | 'actor'>

/**
 * How much keys, sessions, accounts and addresses may ask. Who asked too much and goes on asking is answered
 * late and costs no look-up, or refusals alone would take the processor that others need.
 */
export class RequestLimits {
  readonly #keys: RateLimiter
  readonly #accounts: RateLimiter
  readonly #large: LargeAnswers
  /** Whose last request was one too many, with the wait of the next refusal. */
  readonly #refused = new Map<string, Who & { waitMs: number }>()

  readonly #wait: (ms: number) => Promise<unknown>

  constructor(
    { rateLimitPerMinute, accountRateLimitPerMinute = 0 }: Limits,
    large: LargeAnswers,
    wait = (ms: number): Promise<unknown> => delay(ms, undefined, { ref: false }),
  ) {
    this.#wait = wait
    this.#keys = new RateLimiter(rateLimitPerMinute)
    // Ten seconds' worth at once, so that many keys are no way to a minute's; what one key may have passes.
    const burst = Math.max(accountRateLimitPerMinute / 6, rateLimitPerMinute)
    this.#accounts = new RateLimiter(accountRateLimitPerMinute, burst)
    this.#large = large
  }

  /** For a key, a session, or an address that needs neither. */
  takeFrom(id: string, reply: FastifyReply): void {
    const { perMinute } = this.#keys
    if (perMinute === 0) return
    const state = this.#keys.take(id, performance.now())
    reply.header('ratelimit-policy', `"default";q=${perMinute};w=60`)
    reply.header('ratelimit', `"default";r=${state.remaining};t=${state.resetSeconds}`)
    refuse(state, `the key made more than ${perMinute} requests in a minute`)
  }

  /** For a request with `credential` that is known to be of `who`. */
  check(credential: string, who: Who, reply: FastifyReply, operation: Operation): void {
    const name = nameOf(credential, operation)
    try {
      this.takeFrom(who.actor.id, reply)
      const state = this.#accounts.take(who.accountId, performance.now())
      refuse(state, `the account made more than ${this.#accounts.perMinute} requests in a minute`)
      if (isLarge(operation)) this.#large.check(who.accountId, operation.action)
    } catch (error) {
      const waitMs = Math.min(longestWaitMs, 2 * (this.#refused.get(name)?.waitMs ?? waitMsBefore))
      if (this.#refused.size >= maxRefused) this.#refused.clear()
      this.#refused.set(name, { accountId: who.accountId, actor: who.actor, waitMs })
      throw error
    }
    this.#refused.delete(name)
  }

  /** Checks a request before its credential is looked up, if the one before was refused; says whether it was. */
  async checkRefused(
    credential: string,
    reply: FastifyReply,
    operation: Operation,
  ): Promise<boolean> {
    const known = this.#refused.get(nameOf(credential, operation))
    if (known === undefined) return false
    try {
      this.check(credential, known, reply, operation)
    } catch (error) {
      await this.#wait(known.waitMs)
      throw error
    }
    return true
  }
}

interface Limits {
  rateLimitPerMinute: number
  accountRateLimitPerMinute?: number
}

/** A first refusal comes at once, the next after a second, then after twice as long each. */
const waitMsBefore = 500
const longestWaitMs = 4_000
const maxRefused = 10_000

/** Large answers have a limit of their own. */
function nameOf(credential: string, operation: Operation): string {
  return `${isLarge(operation) ? 'large' : 'small'} ${credential}`
}

function refuse({ allowed, resetSeconds }: RateLimitState, why: string): void {
  if (allowed) return
  throw new DomainError('rate_limited', `Cannot answer: ${why}`, {
    retryAfterSeconds: resetSeconds,
  })
}
