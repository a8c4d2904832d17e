import { setTimeout as delay } from 'node:timers/promises'
import { loop, type Loop } from '../../loop.ts'
import { Tally } from '../../slots.ts'
import { fetched, type Dispatch } from './dispatch.ts'
import { claimable, noClaim, type Claim } from './jobs.ts'
import type { Queue } from './queue.ts'

/**
 * The loops of a worker process. One fetches as many jobs as there are free slots and hands each
 * batch to `start`. Two more use connections of their own: one renews the leases of the jobs in
 * progress, the other makes jobs ready whose workers stopped renewing them.
 */
export interface WorkOptions {
  /** Maximum jobs in progress in this process. */
  concurrency: number
  /** How many jobs there is memory for at once, given how many are in progress. */
  room?: (inProgress: number) => number
  /** Maximum jobs in progress of one account, over all processes. */
  accountConcurrency: number
  /**
   * Starts a batch. Returns a promise for each job, which resolves when this process is done with
   * it. A job that still exists then keeps its lease, and is ready again when that expires.
   */
  start: (dispatches: Dispatch[]) => Promise<void>[]
  /** Called with runs in progress here whose jobs another process took, or that ended. */
  onLost: (runIds: string[]) => void
  onError: (error: unknown, runId?: string) => void
}

/** Minimum time between fetches, so that each brings more jobs. */
const minFetchGapMs = 10
const maxBatch = 128
/** How often processes are looked for that are gone. */
const goneMs = 250

export class QueueWorker {
  readonly #queue: Queue
  readonly #options: WorkOptions
  /**
   * By run, with its newest start: a job may come back while its first start is still in progress.
   */
  readonly #inProgress = new Map<string, { job: Dispatch; start: symbol }>()
  readonly #ofAccounts = new Tally()
  readonly #unsubscribe: () => void
  readonly #fetches: Loop
  readonly #supervision: Loop[]
  /** An account was at its limit at the last fetch: when one of its jobs ends, fetch again. */
  #hasAccountAtLimit = false
  /** Whether the last fetch took everything that could be taken. */
  #isAll = false
  /** Slots reserved for claims and fetches in progress. */
  #promised = 0
  /** When a sweep last succeeded, and how long sweeps are paused. */
  #sweptAt = performance.now()
  #sweepsAgainAt = 0

  constructor(queue: Queue, options: WorkOptions) {
    this.#queue = queue
    this.#options = options
    const { onError } = options
    const { renewMs, sweepMs, pollMs } = queue.times
    this.#supervision = [
      loop({ everyMs: renewMs, tick: () => this.#renew(), onError }),
      loop({ everyMs: sweepMs, tick: () => this.#sweep(), onError }),
      loop({ everyMs: goneMs, tick: () => queue.sweepGone(), onError, startsAtOnce: true }),
    ]
    this.#fetches = loop({
      everyMs: pollMs,
      minGapMs: minFetchGapMs,
      tick: () => this.#fetch(),
      onError,
      startsAtOnce: true,
    })
    this.#unsubscribe = queue.onWake(() => this.#fetches.wake())
    queue.claimsBy((accountIds) => this.#claim(accountIds))
  }

  get inProgress(): number {
    return this.#inProgress.size
  }

  /** Stops fetching and waits for the jobs in progress, up to `timeoutMs`. */
  async drain(timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs
    this.#queue.claimsBy(undefined)
    // A fetch in progress may still bring jobs; they are handed back like the others.
    await Promise.race([this.#fetches.stop(), delay(timeoutMs, undefined, { ref: false })])
    while (this.#inProgress.size > 0 && Date.now() < deadline) await delay(20)
  }

  /** Waits for the loops to end. Jobs still in progress are retried by other processes. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#queue.claimsBy(undefined)
    await Promise.all([this.#fetches, ...this.#supervision].map((one) => one.stop()))
  }

  #startBatch(jobs: Dispatch[]): void {
    const start = Symbol('start')
    for (const job of jobs) {
      if (!this.#inProgress.has(job.runId)) this.#ofAccounts.add(job.accountId, 1)
      this.#inProgress.set(job.runId, { job, start })
    }
    this.#options.start(jobs).forEach((work, index) => {
      const { runId, accountId } = jobs[index] as Dispatch
      void work
        .catch((error) => this.#options.onError(error, runId))
        .finally(() => {
          const wasFull = this.#free <= 0
          if (this.#inProgress.get(runId)?.start === start) {
            this.#inProgress.delete(runId)
            this.#ofAccounts.add(accountId, -1)
          }
          if (wasFull || this.#hasAccountAtLimit) this.#fetches.wake()
        })
    })
  }

  get #free(): number {
    const { concurrency, room } = this.#options
    const inProgress = this.#inProgress.size + this.#promised
    return Math.min(concurrency, room?.(inProgress) ?? concurrency) - inProgress
  }

  /**
   * Accounts that are at their claim limit in this process already need no check in the database.
   */
  #claim(accountIds: string[]): Claim {
    const perAccount = claimable(this.#options.accountConcurrency)
    const mayClaim = accountIds.filter((id) => this.#ofAccounts.of(id) < perAccount)
    const slots = Math.min(mayClaim.length, this.#free)
    if (!this.#isAll || slots <= 0) return noClaim
    this.#promised += slots
    return {
      worker: this.#queue.worker,
      leaseMs: this.#queue.times.leaseMs,
      slots,
      perAccount,
      start: (jobs) => this.#startBatch(jobs),
      [Symbol.dispose]: () => {
        const wasFull = this.#free <= 0
        this.#promised -= slots
        if (wasFull) this.#fetches.wake()
      },
    }
  }

  /** Fetches once; true if there may be more jobs and slots are free. */
  async #fetch(): Promise<boolean> {
    const count = Math.min(maxBatch, this.#free)
    this.#isAll = count > 0 && this.#isAll
    if (count <= 0) return false
    this.#promised += count
    try {
      const page = await this.#queue.fetch(count, this.#options.accountConcurrency)
      this.#hasAccountAtLimit = page.hasAccountAtLimit
      this.#isAll = page.isAll
      if (page.jobs.length > 0) this.#startBatch(page.jobs.map(fetched))
      return !page.isAll
    } finally {
      this.#promised -= count
    }
  }

  async #renew(): Promise<void> {
    const asked = [...this.#inProgress.values()]
    if (asked.length === 0) return
    const held = await this.#queue.renew(asked.map(({ job }) => job))
    const lost = asked.filter(
      ({ job: { runId }, start }) =>
        !held.has(runId) && this.#inProgress.get(runId)?.start === start,
    )
    this.#options.onLost(lost.map(({ job }) => job.runId))
  }

  /**
   * While the database was unavailable no worker could renew its leases. After an outage, sweeps
   * pause so that live workers can renew first.
   */
  async #sweep(): Promise<void> {
    const { leaseMs, renewMs } = this.#queue.times
    if (performance.now() - this.#sweptAt > leaseMs / 2) {
      await this.#queue.reach()
      this.#sweepsAgainAt = performance.now() + 2 * renewMs
    } else if (performance.now() >= this.#sweepsAgainAt) {
      await this.#queue.sweep()
    }
    this.#sweptAt = performance.now()
  }
}
