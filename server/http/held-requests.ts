import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../errors.ts'

/**
 * Requests that the server holds open: event streams, and those that wait for a run. Each takes a
 * connection and some memory, so an account may have so many in a process at once.
 */
export const maxHeldRequests = 1_000

export class HeldRequests {
  readonly #counts = new Map<string, number>()

  /** Counts a request until its connection is done; the signal aborts then. */
  hold(request: FastifyRequest, reply: FastifyReply): AbortSignal {
    const { accountId } = request.ctx
    const count = this.#counts.get(accountId) ?? 0
    if (count >= maxHeldRequests) {
      throw new DomainError(
        'too_many_held_requests',
        `Cannot ${request.routeOptions.config.action}: the account has ${count} streams and waiting requests open, at most ${maxHeldRequests}`,
        { retryAfterSeconds: 5 },
      )
    }
    this.#counts.set(accountId, count + 1)
    const closed = new AbortController()
    reply.raw.once('close', () => {
      closed.abort()
      this.#release(accountId)
    })
    return closed.signal
  }

  #release(accountId: string): void {
    const count = (this.#counts.get(accountId) ?? 0) - 1
    if (count > 0) this.#counts.set(accountId, count)
    else this.#counts.delete(accountId)
  }
}
