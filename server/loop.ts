/**
 * A background loop: one tick at a time, with a pause after each tick that has nothing more to do.
 * `wake` cuts a pause short, including the pause after the current tick. A failed tick is reported
 * and always has its full pause, so that an unavailable database is not retried continuously.
 */
export interface LoopOptions {
  /** The pause; a function is called each time, and `Infinity` waits for `wake` only. */
  everyMs: number | (() => number)
  /** One bounded batch of work; true if there is more to do at once. */
  tick: (signal: AbortSignal) => Promise<boolean | void>
  onError: (error: unknown) => void
  /** Minimum time from the start of one tick to the next, even after `wake`. */
  minGapMs?: number
  /** Starts with a tick instead of a pause. */
  startsAtOnce?: boolean
}

export interface Loop extends AsyncDisposable {
  /** Aborts at `stop`. */
  readonly signal: AbortSignal
  wake: () => void
  /** Starts no further tick and waits for the current one. */
  drain: () => Promise<void>
  /** The same, and aborts the current tick's signal. */
  stop: () => Promise<void>
}

/** Bounds of the pause after a failure. */
const retryMs = { min: 100, max: 60_000 }

export function loop(options: LoopOptions): Loop {
  const { everyMs, minGapMs = 0, tick, onError } = options
  const stopping = new AbortController()
  const draining = new AbortController()
  let isWoken = options.startsAtOnce === true
  let onChange: () => void = () => {}

  const pauseMs = (): number => (typeof everyMs === 'number' ? everyMs : everyMs())

  /** Waits for a time, for the end of the loop or, unless `isFull`, for `wake`. */
  async function pause(ms: number, isFull: boolean): Promise<void> {
    const isOver = () => draining.signal.aborted || (isWoken && !isFull)
    if (ms <= 0 || isOver()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = ms < Infinity ? setTimeout(resolve, ms) : undefined
    onChange = () => {
      if (isOver()) resolve()
    }
    await promise
    clearTimeout(timer)
  }

  async function run(): Promise<void> {
    await pause(pauseMs(), false)
    while (!draining.signal.aborted) {
      isWoken = false
      const startedAt = performance.now()
      try {
        if ((await tick(stopping.signal)) === true) isWoken = true
        await pause(pauseMs(), false)
        await pause(startedAt + minGapMs - performance.now(), true)
      } catch (error) {
        onError(error)
        await pause(Math.min(Math.max(pauseMs(), retryMs.min), retryMs.max), true)
      }
    }
  }

  const running = run()
  const drain = (): Promise<void> => {
    draining.abort()
    onChange()
    return running
  }
  const stop = (): Promise<void> => {
    stopping.abort()
    return drain()
  }
  const wake = (): void => {
    isWoken = true
    onChange()
  }
  return { signal: stopping.signal, wake, drain, stop, [Symbol.asyncDispose]: stop }
}

/**
 * Work that a loop started and does not wait for, each piece with its subject. `work` must not reject. When a piece
 * ends, `onEnd` is called, usually to wake the loop.
 */
export class InFlight<Subject> {
  readonly #pieces = new Map<Promise<void>, Subject>()
  readonly #max: number
  readonly #onEnd: () => void

  constructor(max: number, onEnd: () => void) {
    this.#max = max
    this.#onEnd = onEnd
  }

  /** How many more pieces may start. */
  get free(): number {
    return Math.max(0, this.#max - this.#pieces.size)
  }

  get subjects(): Subject[] {
    return [...this.#pieces.values()]
  }

  add(subject: Subject, work: Promise<void>): void {
    const piece = work.finally(() => {
      this.#pieces.delete(piece)
      this.#onEnd()
    })
    this.#pieces.set(piece, subject)
  }

  /** Resolves when all pieces have ended that are in flight now. */
  async drain(): Promise<void> {
    await Promise.all(this.#pieces.keys())
  }
}
