import { MusterError } from './errors.ts'
import { openStream } from './event-stream.ts'
import type { AccountEvent } from './generated.ts'
import { delay } from './time.ts'
import type { RequestOptions, Transport } from './transport.ts'

export interface EventsOptions extends RequestOptions {
  /**
   * Called whenever hints arrive from now on, at first and after each reconnection: read what you
   * show.
   */
  onOpen?: () => void
  /** Called when the connection ended, broke or could not be made, before reconnecting. */
  onBroken?: (error: MusterError | undefined) => void
}

/** A connection that lasted this long resets the retry delay. */
const steadyMs = 10_000
const firstPauseMs = 250
const longestPauseMs = 10_000

/** Changes in the account. */
export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Hints to read something again: which run changed, and which requests are waiting. They are not
   * a log: changes while the connection is broken are not reported, so read everything in `onOpen`.
   * Continues until the signal aborts; throws permanent errors, such as a revoked key.
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
      // Jittered, so that clients that a restart disconnected do not reconnect at the same time.
      const leastMs = (failure?.retryAfterSeconds ?? 0) * 1_000
      await delay(Math.max(pauseMs * (0.5 + Math.random()), leastMs), signal)
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    }
  }
}

/** Whether a retry may succeed: no connection, a restarting service, or a rate limit. */
function mayPass(error: unknown): error is MusterError {
  if (!(error instanceof MusterError)) return false
  return error.status === 0 || error.status === 429 || error.status >= 500
}
