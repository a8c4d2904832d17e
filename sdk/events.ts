import { MusterError } from './errors.ts'
import { openStream } from './event-stream.ts'
import type { AccountEvent } from './generated.ts'
import { delay } from './time.ts'
import type { RequestOptions, Transport } from './transport.ts'

export interface EventsOptions extends RequestOptions {
  /** Called whenever hints come from now on, at first and after each break: read what you show. */
  onOpen?: () => void
  /** Called when the connection ended, broke or could not be made; it is made anew. */
  onBroken?: (error: MusterError | undefined) => void
}

/** One that held as long was all right. */
const steadyMs = 10_000
const firstPauseMs = 250
const longestPauseMs = 10_000

/** What changes in the account. */
export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Hints to read something again: which run moved, and what waits for a person. They are no log: what
   * changed while the connection was broken is not told, so read everything in `onOpen`. It goes
   * on until the signal aborts, and throws what will not pass, such as a key that was revoked.
   */
  async *stream(options: EventsOptions = {}): AsyncGenerator<AccountEvent, void, undefined> {
    const { signal, onOpen, onBroken, ...call } = options
    let pauseMs = firstPauseMs
    for (;;) {
      const askedAt = performance.now()
      let failure: MusterError | undefined
      try {
        const opened = await openStream(this.#transport, '/v1/events', {
          ...call,
          signal,
          maxRetries: 0,
        })
        onOpen?.()
        yield* opened as AsyncGenerator<AccountEvent, void, undefined>
      } catch (error) {
        signal?.throwIfAborted()
        if (!mayPass(error)) throw error
        failure = error
      }
      signal?.throwIfAborted()
      onBroken?.(failure)
      if (performance.now() - askedAt > steadyMs) pauseMs = firstPauseMs
      // Those whom a restart cut off together do not come back together.
      const leastMs = (failure?.retryAfterSeconds ?? 0) * 1_000
      await delay(Math.max(pauseMs * (0.5 + Math.random()), leastMs), signal)
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    }
  }
}

/** No connection, a service that restarts, or one that is asked too much. */
function mayPass(error: unknown): error is MusterError {
  if (!(error instanceof MusterError)) return false
  return error.status === 0 || error.status === 429 || error.status >= 500
}
