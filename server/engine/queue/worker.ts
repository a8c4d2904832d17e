import { repeat } from '../../repeat.ts'
import type { Job } from './jobs.ts'
import type { Queue } from './queue.ts'

/**
 * One loop per process fetches as many jobs as there are free slots and hands each batch to `start`. Two
 * more run beside it, over connections of their own: one renews the leases of what is in progress, the
 * other gives back the jobs of workers that stopped renewing theirs.
 */
export interface WorkOptions {
  /** Slots of this process. */
  concurrency: number
  /** Jobs in progress of one account over all processes. */
  accountConcurrency: number
  /**
   * Starts a batch; one promise for each job, which resolves when nothing is left to do here. A job that
   * still exists then is left to its lease: it is ready again when that has expired.
   */
  start: (jobs: Job[]) => Promise<void>[]
  /** Runs in progress here whose jobs another process took, or that ended. */
  onLost: (runIds: string[]) => void
  onError: (error: unknown, runId?: string) => void
}

/** Fetches that follow each other closely gather what comes meanwhile. */
const minFetchGapMs = 4
const maxBatch = 128

export class QueueWorker {
  readonly #queue: Queue
  readonly #options: WorkOptions
  /** By run, each with its newest start: a job may come again while its first one is still under way. */
  readonly #inProgress = new Map<string, { job: Job; start: symbol }>()
  readonly #stopping = new AbortController()
  readonly #unsubscribe: () => void
  readonly #loop: Promise<void>
  readonly #supervision: AsyncDisposable[]
  /** An account was at its limit at the last fetch: a job that ends may let another begin. */
  #isHeld = false
  #wake: () => void = () => {}
  /** When a sweep last came through, and until when they rest. */
  #sweptAt = performance.now()
  #sweepsAgainAt = 0

  constructor(queue: Queue, options: WorkOptions) {
    this.#queue = queue
    this.#options = options
    const { onError } = options
    const { renewMs, sweepMs } = queue.times
    this.#unsubscribe = queue.onWake(() => this.#wake())
    this.#supervision = [
      repeat({ everyMs: renewMs, work: () => this.#renew(), onError }),
      repeat({ everyMs: sweepMs, work: () => this.#sweep(), onError }),
    ]
    this.#loop = this.#fetchLoop()
  }

  get inProgress(): number {
    return this.#inProgress.size
  }

  /** Stops fetching and waits for the jobs in progress, up to `timeoutMs`. */
  async drain(timeoutMs: number): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    const deadline = Date.now() + timeoutMs
    // A fetch under way may still bring jobs, which are handed back like the others.
    await withTimeout(this.#loop, timeoutMs)
    while (this.#inProgress.size > 0 && Date.now() < deadline) await delay(20)
  }

  /** Waits for the loops to end. Jobs still in progress come again elsewhere. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#unsubscribe()
    this.#wake()
    await Promise.all([this.#loop, ...this.#supervision.map((one) => one[Symbol.asyncDispose]())])
  }

  #startBatch(jobs: Job[]): void {
    const start = Symbol('start')
    for (const job of jobs) this.#inProgress.set(job.runId, { job, start })
    this.#options.start(jobs).forEach((work, index) => {
      const { runId } = jobs[index] as Job
      void work
        .catch((error) => this.#options.onError(error, runId))
        .finally(() => {
          const wasFull = this.#inProgress.size >= this.#options.concurrency
          if (this.#inProgress.get(runId)?.start === start) this.#inProgress.delete(runId)
          if (wasFull || this.#isHeld) this.#wake()
        })
    })
  }

  /** Fetches until nothing is ready or every slot is taken. */
  async #fetchAll(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const count = Math.min(maxBatch, this.#options.concurrency - this.#inProgress.size)
      if (count === 0) break
      const fetched = await this.#queue.fetch(count, this.#options.accountConcurrency)
      this.#isHeld = fetched.isHeld
      if (fetched.jobs.length > 0) this.#startBatch(fetched.jobs)
      if (fetched.isAll) break
    }
  }

  async #fetchLoop(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      // The promise is made before the fetch, so that a wake during it is not lost.
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const startedAt = performance.now()
      await this.#fetchAll().catch((error) => this.#options.onError(error))
      await withTimeout(woken, this.#queue.times.pollMs)
      const gapMs = minFetchGapMs - (performance.now() - startedAt)
      if (gapMs > 0) await delay(gapMs)
    }
  }

  async #renew(): Promise<boolean> {
    const asked = [...this.#inProgress.values()]
    if (asked.length === 0) return false
    const held = await this.#queue.renew(asked.map(({ job }) => job))
    const lost = asked.filter(
      ({ job: { runId }, start }) =>
        !held.has(runId) && this.#inProgress.get(runId)?.start === start,
    )
    this.#options.onLost(lost.map(({ job }) => job.runId))
    return false
  }

  /**
   * While the database was away nobody could renew. So who finds it back lets the living renew their
   * leases before it looks for those of the dead.
   */
  async #sweep(): Promise<boolean> {
    const { leaseMs, renewMs } = this.#queue.times
    if (performance.now() - this.#sweptAt > leaseMs / 2) {
      await this.#queue.reach()
      this.#sweepsAgainAt = performance.now() + 2 * renewMs
    } else if (performance.now() >= this.#sweepsAgainAt) {
      await this.#queue.sweep()
    }
    this.#sweptAt = performance.now()
    return false
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function withTimeout(promise: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    void promise.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
