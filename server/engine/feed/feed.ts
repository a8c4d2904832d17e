import type { Database } from '../../db/client.ts'
import type { Notices } from '../../db/notices.ts'
import { type Progress, readProgress } from '../reads/events.ts'
import type { RunKey } from '../run/run.ts'
import { AccountChanges, type Hint } from './account-changes.ts'
import { TokenStream } from './token-stream.ts'
import type { Gatherer } from '../../db/batcher.ts'
import { openBatcher, runEach } from '../../db/run.ts'
import { loop, type Loop } from '../../loop.ts'

/**
 * Live updates of runs for the clients of a process, whichever process executes the runs. A client
 * that waits for one run is woken when it moves; a client that follows an account gets a hint for
 * each changed run; a client that follows tokens gets model output as it arrives. The feed stores
 * nothing and is never the record: a lost hint only costs time, because clients then read the
 * stored events. Requests use it, and workers report their own changes to it. It ends when the
 * process stops.
 */
export class Feed implements Disposable {
  readonly tokens: TokenStream
  readonly #runs: RunChanges
  readonly #accounts: AccountChanges

  constructor(database: Database, notices: Notices, onError: (error: unknown) => void) {
    this.#runs = new RunChanges(database, onError)
    this.#accounts = new AccountChanges(database, notices, onError)
    this.tokens = new TokenStream(database, notices, onError)
  }

  /** True once the process is stopping: requests must not wait any longer. */
  get closed(): boolean {
    return this.#runs.closed
  }

  /** Reports that this process changed a run. */
  changed(runId: string): void {
    this.#runs.changed(runId)
  }

  /**
   * Status and last event of a run; undefined if the account has no such run. Concurrent requests
   * share a query.
   */
  progressOf(accountId: string, runId: string): Promise<Progress | undefined> {
    return this.#runs.progressOf(accountId, runId)
  }

  /**
   * Resolves when the run has an event after `sequence`, or the wait ends; the caller then reads
   * the events.
   */
  moved(run: RunKey, sequence: number, signal: AbortSignal): Promise<void> {
    return this.#runs.moved(run, sequence, signal)
  }

  /** Hints of an account from now on, until the signal aborts or some may have been missed. */
  follow(accountId: string, signal: AbortSignal): Promise<AsyncGenerator<Hint[]>> {
    return this.#accounts.follow(accountId, signal)
  }

  [Symbol.dispose](): void {
    this.#runs[Symbol.dispose]()
    this.#accounts[Symbol.dispose]()
    this.tokens[Symbol.dispose]()
  }
}

/**
 * Wakes requests that wait for a run to move, in this process or another. One loop reads the newest
 * event numbers of all watched runs; changes by this process are passed on at once (`changed`).
 */
export class RunChanges {
  readonly #database: Database
  readonly #progress: Gatherer<RunKey, Progress | undefined>
  /** By run. */
  readonly #watched = new Map<string, { run: RunKey; watches: Set<Watch> }>()
  readonly #loop: Loop
  /** The only watched run was read just now. */
  #isFirstNew = false
  #closed = false

  constructor(database: Database, onError: (error: unknown) => void, everyMs = 200) {
    this.#database = database
    this.#loop = loop({
      // Thousands of watched runs are polled less often.
      everyMs: () =>
        this.#watched.size === 0 ? Infinity : Math.max(everyMs, this.#watched.size / 10),
      tick: () => this.#poll(),
      onError,
    })
    // The queue has room for all watchers at once: they are woken together.
    this.#progress = openBatcher<RunKey, Progress | undefined>(
      database,
      (runs) => readProgress(database, runs),
      { maxItems: 1_000, maxWaiting: 100_000 },
    )
  }

  /** Status and last event of a run; undefined if the account has no such run. */
  progressOf(accountId: string, runId: string): Promise<Progress | undefined> {
    return this.#progress.add({ accountId, runId })
  }

  /**
   * Resolves when the run has an event after `sequence`, the signal aborts or the process stops.
   * The caller then reads the events.
   */
  moved(run: RunKey, sequence: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#closed) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const watch: Watch = { sequence, wake: resolve }
    const watched = this.#watched.get(run.runId) ?? { run, watches: new Set() }
    this.#watched.set(run.runId, watched)
    watched.watches.add(watch)
    const onAbort = () => resolve()
    signal.addEventListener('abort', onAbort, { once: true })
    if (this.#watched.size === 1 && watched.watches.size === 1) {
      this.#isFirstNew = true
      this.#loop.wake()
    }
    return promise.finally(() => {
      signal.removeEventListener('abort', onAbort)
      watched.watches.delete(watch)
      const isEmpty = watched.watches.size === 0
      if (isEmpty && this.#watched.get(run.runId) === watched) this.#watched.delete(run.runId)
    })
  }

  /** True once the process is stopping. */
  get closed(): boolean {
    return this.#closed
  }

  /** Reports that this process changed a run. */
  changed(runId: string): void {
    for (const watch of this.#watched.get(runId)?.watches ?? []) watch.wake()
  }

  /** Reads all watched runs once. */
  async tick(): Promise<void> {
    const asked = [...this.#watched.values()]
    const look = async (runs: RunKey[]) => {
      const progress = await readProgress(this.#database, runs)
      return runs.map(({ runId }, place) => [runId, progress[place]] as const)
    }
    const runs = asked.map(({ run }) => run)
    // Runs of an unresponsive shard are read when it is back.
    const answers = await runEach(this.#database, runs, look, { isPartial: true })
    const progress = new Map(answers)
    for (const { run, watches } of asked) {
      if (!progress.has(run.runId)) continue
      // A deleted run wakes its watchers, which then find it gone.
      const sequence = progress.get(run.runId)?.lastSequence ?? Number.POSITIVE_INFINITY
      for (const watch of watches) if (sequence > watch.sequence) watch.wake()
    }
  }

  async #poll(): Promise<void> {
    if (this.#isFirstNew) this.#isFirstNew = false
    else await this.tick()
  }

  [Symbol.dispose](): void {
    this.#closed = true
    void this.#loop.stop()
    for (const { watches } of this.#watched.values()) for (const watch of watches) watch.wake()
  }
}

interface Watch {
  sequence: number
  wake: () => void
}
