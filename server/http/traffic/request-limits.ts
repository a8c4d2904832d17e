import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Identity } from '../../identity.ts'
import { DomainError } from '../../errors.ts'
import type { LargeAnswers } from './large-answers.ts'
import { isLarge, type Operation } from '../operation.ts'
import type { Limits } from '../../limits.ts'
import type { RateLimiter, RateLimitState } from '../../rate-limiter.ts'

type Who = Pick<Identity, 'accountId' | 'actor'>

/**
 * Rate limits of keys, sessions, accounts and addresses. A client that keeps sending requests after
 * a refusal is answered late and without a database lookup; otherwise refusals alone would use up
 * the CPU.
 */
export class RequestLimits {
  readonly #keys: RateLimiter
  readonly #accounts: RateLimiter
  readonly #large: LargeAnswers
  /** Credentials whose last request was refused, with the delay of the next refusal. */
  readonly #refused = new LRUCache<string, Who & { waitMs: number }>({ max: 10_000 })

  readonly #wait: (ms: number) => Promise<unknown>

  constructor(
    limits: Pick<Limits, 'requestsOfKey' | 'requestsOfAccount'>,
    large: LargeAnswers,
    wait = (ms: number): Promise<unknown> => delay(ms, undefined, { ref: false }),
  ) {
    this.#wait = wait
    this.#keys = limits.requestsOfKey
    this.#accounts = limits.requestsOfAccount
    this.#large = large
  }

  /** Takes a token of a key, a session, or the address of a client that needs neither. */
  takeFrom(id: string, reply: FastifyReply): void {
    const { perMinute } = this.#keys
    if (perMinute === 0) return
    const state = this.#keys.take(id, performance.now())
    reply.header('ratelimit-policy', `"default";q=${perMinute};w=60`)
    reply.header('ratelimit', `"default";r=${state.remaining};t=${state.resetSeconds}`)
    refuse(state, `the key made more than ${perMinute} requests in a minute`)
  }

  /** Checks a request with `credential` whose identity is known. */
  check(credential: string, who: Who, reply: FastifyReply, operation: Operation): void {
    const name = limitKey(credential, operation)
    try {
      this.takeFrom(who.actor.id, reply)
      const state = this.#accounts.take(who.accountId, performance.now())
      refuse(state, `the account made more than ${this.#accounts.perMinute} requests in a minute`)
      if (isLarge(operation)) this.#large.check(who.accountId, operation.action)
    } catch (error) {
      const waitMs = Math.min(longestWaitMs, 2 * (this.#refused.get(name)?.waitMs ?? waitMsBefore))
      this.#refused.set(name, { accountId: who.accountId, actor: who.actor, waitMs })
      throw error
    }
    this.#refused.delete(name)
  }

  /**
   * Checks a request before its credential is looked up, if the previous one was refused; returns
   * whether it was.
   */
  async checkRefused(
    credential: string,
    reply: FastifyReply,
    operation: Operation,
  ): Promise<boolean> {
    const known = this.#refused.get(limitKey(credential, operation))
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

/** The first refusal is immediate, the next after a second, then the delay doubles. */
const waitMsBefore = 500
const longestWaitMs = 4_000

/** Large responses have a limit of their own. */
function limitKey(credential: string, operation: Operation): string {
  return `${isLarge(operation) ? 'large' : 'small'} ${credential}`
}

function refuse({ allowed, resetSeconds }: RateLimitState, why: string): void {
  if (allowed) return
  throw new DomainError('rate_limited', `Cannot answer: ${why}`, {
    retryAfterSeconds: resetSeconds,
  })
}
