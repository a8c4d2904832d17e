import { AsyncLocalStorage } from 'node:async_hooks'
import { OutboundError } from '../../outbound/outbound-error.ts'
import type { RawTool } from './message.ts'

/**
 * The state of one operation in a session. Requests find it through the asynchronous context,
 * including requests that the client library sends on a timer. Several operations share a session.
 */
export class Exchange {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Access token for the requests of this operation. */
  readonly bearer: string | undefined
  /** Rejects with the first failure that the client library would otherwise wait out. */
  readonly failed: Promise<never>
  /** Tools of all listed pages, unmodified. */
  tools: RawTool[] = []
  /** Ids of the requests that were answered. */
  readonly answered = new Set<unknown>()
  /** Id of the last event, from which the response can be resumed. */
  lastEventId: string | undefined
  resumes = 0
  /** The server's `WWW-Authenticate`, if it demands a login. */
  challenge: string | undefined
  failure: OutboundError | undefined
  readonly #onProgress: () => void
  readonly #reject: (error: OutboundError) => void

  constructor({ signal, timeoutMs, bearer, onProgress = () => {} }: ExchangeOptions) {
    this.signal = signal
    this.bearer = bearer
    this.timeoutMs = timeoutMs
    this.#onProgress = onProgress
    const { promise, reject } = Promise.withResolvers<never>()
    // Raced wherever something is awaited; this avoids an unhandled rejection elsewhere.
    promise.catch(() => undefined)
    this.failed = promise
    this.#reject = reject
  }

  static current(): Exchange | undefined {
    return store.getStore()
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await store.run(this, () => Promise.race([work(), this.failed]))
    } catch (error) {
      // The client library's errors only have the status and the body.
      if (error instanceof Error && this.challenge !== undefined)
        challenges.set(error, this.challenge)
      throw error
    }
  }

  /** The login that the server demanded when it failed with this error. */
  static challengeOf(error: Error): string | undefined {
    return challenges.get(error)
  }

  fail(error: unknown): void {
    if (!(error instanceof OutboundError) || error.kind === 'aborted') return
    this.failure ??= error
    this.#reject(error)
  }

  progressed(): void {
    this.#onProgress()
  }
}

export interface ExchangeOptions {
  signal: AbortSignal
  /** Timeout of the transport for one response. */
  timeoutMs: number
  bearer?: string | undefined
  onProgress?: (() => void) | undefined
}

const challenges = new WeakMap<Error, string>()
const store = new AsyncLocalStorage<Exchange>()
