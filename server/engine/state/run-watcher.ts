import { Batcher } from '../../db/batcher.ts'
import type { Database } from '../../db/client.ts'
import { loop, type Loop } from '../../loop.ts'
import { readLastSequences, readProgress, type Progress } from './event-log.ts'

/**
 * Wakes those who wait for a run to move, in this process or another. One loop asks for the newest
 * event numbers of all watched runs at once; changes of this process are told at once (`changed`).
 */
export class RunWatcher {
  readonly #database: Database
  readonly #progress: Batcher<{ accountId: string; runId: string }, Progress | undefined>
  readonly #watched = new Map<string, Set<Watch>>()
  readonly #loop: Loop
  /** The only run that is watched was read just now. */
  #isFirstNew = false
  #closed = false

  constructor(database: Database, onError: (error: unknown) => void, everyMs = 200) {
    this.#database = database
    this.#loop = loop({
      // Thousands of watched runs are asked for less often.
      everyMs: () =>
        this.#watched.size === 0 ? Infinity : Math.max(everyMs, this.#watched.size / 10),
      tick: () => this.#look(),
      onError,
    })
    // All that watch may ask at once, when their turn to look ends.
    this.#progress = new Batcher((runs) => readProgress(database, runs), {
      maxItems: 1_000,
      maxWaiting: 100_000,
    })
  }

  /** Where a run is; undefined if the account has none. Those who ask together share a query. */
  progressOf(accountId: string, runId: string): Promise<Progress | undefined> {
    return this.#progress.add({ accountId, runId })
  }

  /**
   * Resolves when the run has an event after `sequence`, when the signal aborts or when the watcher
   * closes. The caller reads what there is then.
   */
  moved(runId: string, sequence: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#closed) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const watch: Watch = { sequence, wake: resolve }
    const watches = this.#watched.get(runId) ?? new Set()
    this.#watched.set(runId, watches.add(watch))
    const onAbort = () => resolve()
    signal.addEventListener('abort', onAbort, { once: true })
    if (this.#watched.size === 1 && watches.size === 1) {
      this.#isFirstNew = true
      this.#loop.wake()
    }
    return promise.finally(() => {
      signal.removeEventListener('abort', onAbort)
      watches.delete(watch)
      if (watches.size === 0 && this.#watched.get(runId) === watches) this.#watched.delete(runId)
    })
  }

  /** True once the process is stopping: nobody shall wait any more. */
  get closed(): boolean {
    return this.#closed
  }

  /** Tells that this process changed a run. */
  changed(runId: string): void {
    for (const watch of this.#watched.get(runId) ?? []) watch.wake()
  }

  /** Looks once at all watched runs. */
  async tick(): Promise<void> {
    const sequences = await readLastSequences(this.#database, [...this.#watched.keys()])
    for (const [runId, watches] of this.#watched) {
      // A run that is gone wakes its watchers, who then see that.
      const sequence = sequences.get(runId) ?? Number.POSITIVE_INFINITY
      for (const watch of watches) if (sequence > watch.sequence) watch.wake()
    }
  }

  async #look(): Promise<void> {
    if (this.#isFirstNew) this.#isFirstNew = false
    else await this.tick()
  }

  [Symbol.dispose](): void {
    this.#closed = true
    void this.#loop.stop()
    for (const watches of this.#watched.values()) for (const watch of watches) watch.wake()
  }
}

interface Watch {
  sequence: number
  wake: () => void
}
