import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { credentialKey, endedMeanwhile, type Actor } from '../../identity.ts'
import { cannot } from '../../errors.ts'
import type { Slots } from '../../slots.ts'
import { actionOf } from '../request.ts'

/**
 * Requests that the server holds open: event streams, and requests that wait for a run. Each takes
 * a connection and some memory, so their number is limited by account and process. None outlives
 * its key for long: every few seconds all keys with held requests are checked together.
 */
interface Held {
  accountId: string
  actor: Actor
  /** Aborts the request, because its key is no longer valid. */
  end: () => void
}

export class HeldRequests {
  readonly #everyMs: number
  readonly #slots: Slots
  readonly #held = new Set<Held>()
  #timer: NodeJS.Timeout | undefined

  constructor(slots: Slots, everyMs = 5_000) {
    this.#slots = slots
    this.#everyMs = everyMs
  }

  /**
   * Counts a request until it is answered or disconnected. The signal aborts then, or when the key
   * is revoked or expires; its reason is the error to answer with. `slots` are those of event streams by default.
   */
  hold(request: FastifyRequest, reply: FastifyReply, slots: Slots = this.#slots): AbortSignal {
    const { accountId, actor } = request.ctx
    const asked = { action: actionOf(request) }
    const { socket } = request.raw
    const closed = new AbortController()
    const left = () => cannot(asked, 'invalid_request', 'the client has left')
    // The connection was closed before this listener could be added.
    if (socket.destroyed) throw left()
    const slot = slots.takeNow(accountId, asked.action)
    const held: Held = {
      accountId,
      actor,
      end: () => closed.abort(endedMeanwhile(asked)),
    }
    this.#held.add(held)
    reply.raw.once('close', () => {
      this.#held.delete(held)
      slot[Symbol.dispose]()
      closed.abort(left())
    })
    // One check for all accounts, over a connection that no account can use up.
    this.#schedule(request.server)
    return closed.signal
  }

  #schedule(server: FastifyInstance): void {
    if (this.#timer !== undefined || this.#held.size === 0) return
    this.#timer = setTimeout(() => {
      void this.#endThoseOfEndedKeys(server)
        .catch((err: unknown) =>
          server.log.error({ err }, 'the keys of held requests were not checked'),
        )
        .finally(() => {
          this.#timer = undefined
          this.#schedule(server)
        })
    }, this.#everyMs).unref()
  }

  async #endThoseOfEndedKeys(server: FastifyInstance): Promise<void> {
    const holders = new Map([...this.#held].map((held) => [credentialKey(held), held]))
    if (holders.size === 0) return
    const ended = await server.authenticator.findEnded([...holders.values()])
    for (const held of this.#held) if (ended.has(credentialKey(held))) held.end()
  }
}
