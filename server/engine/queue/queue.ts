import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import { isSpread } from '../../db/spread-dialect.ts'
import type { Notices } from '../../db/notices.ts'
import { noClaim, type Claim } from './claim.ts'
import { isFree, channel, sender, type Job } from './jobs.ts'
import { giveBackAll, renewLeases, sweepLeases, type LeaseTimes } from './leases.ts'
import { takeReadyJobs, type Fetched } from './ready-jobs.ts'
import { takeSpreadJobs } from './spread-jobs.ts'
import { announceWorker, readWorkers, withdrawWorker, type Peer, type Workers } from './workers.ts'

/** What a process does with the queue as a whole; `jobs.ts` says how it works. */
export interface QueueOptions {
  database: Database
  /** For leases, which must not wait behind the work. */
  supervision: Database
  times: LeaseTimes
  /** Where to hear of jobs that other processes made ready; undefined where nobody takes any. */
  notices?: Notices | undefined
}

export interface QueueStats {
  /** Jobs that could start now. */
  ready: number
  /** Seconds that the oldest of them has waited. */
  oldestSeconds: number
}

export class Queue {
  readonly times: LeaseTimes
  /** Under which name this process holds jobs. */
  readonly worker = randomUUID()
  readonly #database: Database
  readonly #supervision: Database
  readonly #wakers = new Set<() => void>()
  #claimer: ((count: number) => Claim) | undefined
  /** The account behind which the next fetch looks. */
  #after = ''

  private constructor({ database, supervision, times }: QueueOptions) {
    this.#database = database
    this.#supervision = supervision
    this.times = times
  }

  static async open(options: QueueOptions): Promise<Queue> {
    const queue = new Queue(options)
    if (options.notices !== undefined) {
      const self = await senderOf(options.database)
      options.notices.on(channel, (payload) => {
        if (payload !== self) queue.wake()
      })
    }
    return queue
  }

  /**
   * Takes up to `count` ready jobs, so that no account has more than `perAccount` in progress. Looks at
   * the accounts in turn, a page at a time, beginning where the last fetch ended.
   */
  async fetch(count: number, perAccount: number): Promise<Fetched> {
    const { worker } = this
    const { leaseMs } = this.times
    const jobs: Job[] = []
    let isHeld = false
    let isLastRound = this.#after === ''
    for (;;) {
      const left = count - jobs.length
      const taking = { worker, leaseMs, count: left, perAccount, after: this.#after }
      const take = isSpread(this.#database) ? takeSpreadJobs : takeReadyJobs
      const page = await take(this.#database, taking)
      this.#after = page.next
      jobs.push(...page.jobs)
      isHeld ||= page.isHeld
      if (!page.isAll) return { jobs, isAll: false, isHeld }
      if (page.next !== '') continue
      if (isLastRound) return { jobs, isAll: true, isHeld }
      isLastRound = true
    }
  }

  /** Renews leases; returns the runs whose jobs nobody else took. */
  renew(jobs: Job[]): Promise<Set<string>> {
    return renewLeases(this.#supervision, this.worker, jobs, this.times.leaseMs)
  }

  /** Makes jobs ready whose leases have expired. */
  async sweep(): Promise<void> {
    if ((await sweepLeases(this.#supervision)) > 0) this.wake()
  }

  /** Waits until the jobs can be read. */
  async reach(): Promise<void> {
    await sql`select from jobs limit 1`.execute(this.#supervision)
  }

  /**
   * Makes the jobs of workers that are gone for sure ready at once. Only for a process that has the
   * database to itself; others wait for the leases to expire.
   */
  async giveBackAll(): Promise<void> {
    await giveBackAll(this.#supervision)
  }

  /** Calls back when a job may have become ready. Returns the way to stop it. */
  onWake(callback: () => void): () => void {
    this.#wakers.add(callback)
    return () => this.#wakers.delete(callback)
  }

  /** Who claims new jobs for this process; undefined when it takes no more. */
  claimsBy(claimer: ((count: number) => Claim) | undefined): void {
    this.#claimer = claimer
  }

  /** Slots for up to so many jobs that are about to be made. */
  claim(count: number): Claim {
    return this.#claimer?.(count) ?? noClaim
  }

  wake(): void {
    for (const callback of this.#wakers) callback()
  }

  /** Says that this process carries runs, with a note for the others that do; returns theirs. */
  announce<Note extends object>(note: Note): Promise<Peer<Note>[]> {
    return announceWorker(this.#supervision, this.worker, note)
  }

  /** Says that it no longer does. */
  withdraw(): Promise<void> {
    return withdrawWorker(this.#supervision, this.worker)
  }

  /** The processes that carry runs. */
  workers(): Promise<Workers> {
    return readWorkers(this.#database)
  }

  async stats(): Promise<QueueStats> {
    const { rows } = await sql<QueueStats>`
      select count(*)::int as ready,
             coalesce(extract(epoch from now() - min(ready_at)), 0)::float8 as "oldestSeconds"
      from jobs where worker is null and ready_at <= now() and ${isFree('jobs')}`.execute(
      this.#database,
    )
    return rows[0] as QueueStats
  }
}

async function senderOf(database: Database): Promise<string> {
  const { rows } = await sql<{ name: string }>`select ${sender} as name`.execute(database)
  return (rows[0] as { name: string }).name
}
