import { Batcher } from '../../db/batcher.ts'
import type { Job, Queue } from './queue.ts'

/**
 * One loop per process: it fetches as many jobs as there are free slots, hands each batch to
 * `start`, heartbeats what is in progress and deletes what is done, both by batches.
 */
export interface WorkOptions {
  /** Slots of this process. */
  concurrency: number
  /** Jobs in progress of one group over all processes. */
  groupConcurrency: number
  /**
   * Starts a batch; one promise for each job. A job that is left, or whose promise rejects, stays in
   * the queue and comes again when its heartbeats have stopped, unless another worker has it by then.
   */
  start: (jobs: Job[]) => Promise<Outcome>[]
  /** Runs with every heartbeat; must not throw for long. */
  onHeartbeat: () => Promise<void>
  onError: (error: unknown, key?: string) => void
}

export type Outcome = 'done' | 'left'

const pollMs = 500
/** Fetches that follow each other closely gather what comes meanwhile. */
const minFetchGapMs = 4
const heartbeatMs = 2_500
const maxBatch = 128

export class QueueWorker {
  readonly #queue: Queue
  readonly #options: WorkOptions
  /** By job; a job that came again meanwhile belongs to its newest start. */
  readonly #inProgress = new Map<string, symbol>()
  readonly #finishes: Batcher<string, undefined>
  readonly #stopping = new AbortController()
  readonly #unsubscribe: () => void
  readonly #loop: Promise<void>
  readonly #heartbeat: NodeJS.Timeout
  #isBeating = false
  /** A group was at its limit at the last fetch: a job that ends may let another begin. */
  #isHeld = false
  #wake: () => void = () => {}

  constructor(queue: Queue, options: WorkOptions) {
    this.#queue = queue
    this.#options = options
    this.#finishes = new Batcher<string, undefined>(
      async (ids) => {
        await queue.finish(ids)
        return ids.map(() => undefined)
      },
      { minGapMs: 20 },
    )
    this.#unsubscribe = queue.onWake(() => this.#wake())
    this.#heartbeat = setInterval(() => void this.#beat(), heartbeatMs)
    this.#loop = this.#fetchLoop()
  }

  get inProgress(): number {
    return this.#inProgress.size
  }

  /** Stops fetching and waits for the jobs in progress, at most `timeoutMs`. */
  async drain(timeoutMs: number): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    const deadline = Date.now() + timeoutMs
    // A fetch under way may still bring jobs, which are handed back like the others.
    await withTimeout(this.#loop, timeoutMs)
    while (this.#inProgress.size > 0 && Date.now() < deadline) await delay(20)
  }

  /** Waits for the loop to end. Jobs still in progress come again elsewhere. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#unsubscribe()
    this.#wake()
    clearInterval(this.#heartbeat)
    await this.#loop
  }

  #startBatch(jobs: Job[]): void {
    const start = Symbol('start')
    for (const { id } of jobs) this.#inProgress.set(id, start)
    this.#options.start(jobs).forEach((work, index) => {
      const { id, key } = jobs[index] as Job
      void work
        .then((outcome) => {
          const isMine = this.#inProgress.get(id) === start
          return outcome === 'done' && isMine ? this.#finishes.add(id) : undefined
        })
        .catch((error) => this.#options.onError(error, key))
        .finally(() => {
          const wasFull = this.#inProgress.size >= this.#options.concurrency
          if (this.#inProgress.get(id) === start) this.#inProgress.delete(id)
          if (wasFull || this.#isHeld) this.#wake()
        })
    })
  }

  /** Fetches until nothing is ready or every slot is taken. */
  async #fetchAll(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const count = Math.min(maxBatch, this.#options.concurrency - this.#inProgress.size)
      if (count === 0) break
      const fetched = await this.#queue.fetch(count, this.#options.groupConcurrency)
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
      await withTimeout(woken, pollMs)
      const gapMs = minFetchGapMs - (performance.now() - startedAt)
      if (gapMs > 0) await delay(gapMs)
    }
  }

  async #beat(): Promise<void> {
    const ids = [...this.#inProgress.keys()]
    if (this.#isBeating || ids.length === 0) return
    this.#isBeating = true
    await Promise.all([this.#queue.heartbeat(ids), this.#options.onHeartbeat()])
      .catch((error) => this.#options.onError(error))
      .finally(() => {
        this.#isBeating = false
      })
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
