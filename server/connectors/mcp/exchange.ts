import { AsyncLocalStorage } from 'node:async_hooks'
import { OutboundError } from '../../outbound/outbound-error.ts'
import type { RawTool } from './message.ts'

/**
 * What one operation in a session asks of the server: its requests find it through the asynchronous
 * context, also those that the client library sends on a timer. Several share a session.
 */
export class Exchange {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Rejects with the first failure that the client library would wait out. */
  readonly failed: Promise<never>
  /** Tools of the lists that came, as the server wrote them. */
  tools: RawTool[] = []
  /** Requests that were answered, by their ids. */
  readonly answered = new Set<unknown>()
  /** The last event of an answer that may be fetched on. */
  lastEventId: string | undefined
  resumes = 0
  /** The server's own words about a login that it wants. */
  challenge: string | undefined
  failure: OutboundError | undefined
  readonly #onProgress: () => void
  readonly #reject: (error: OutboundError) => void

  constructor({ signal, timeoutMs, onProgress = () => {} }: ExchangeOptions) {
    this.signal = signal
    this.timeoutMs = timeoutMs
    this.#onProgress = onProgress
    const { promise, reject } = Promise.withResolvers<never>()
    // It is raced where something is awaited; this avoids an unhandled rejection elsewhere.
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
      // The client library's errors have the status and the body alone.
      if (error instanceof Error && this.challenge !== undefined)
        challenges.set(error, this.challenge)
      throw error
    }
  }

  /** What the server demanded as a login where it refused with this error. */
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
  /** Longest that the transport waits for one answer. */
  timeoutMs: number
  onProgress?: (() => void) | undefined
}

const challenges = new WeakMap<Error, string>()
const store = new AsyncLocalStorage<Exchange>()
