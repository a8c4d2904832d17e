import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import type { Notices } from '../../db/notices.ts'
import { allAccounts, run } from '../../db/run.ts'
import { poolName } from '../../db/fragments.ts'
import {
  noClaim,
  type Claim,
  isFree,
  channel,
  type Job,
  releaseAllJobs,
  releaseJobsOf,
  renewLeases,
  sweepLeases,
  type LeaseTimes,
} from './jobs.ts'
import { Presence } from './presence.ts'
import { takeJobs, type Fetched } from './fair-share.ts'

/**
 * The queue as a process uses it: it fetches jobs, claims new ones, and renews and sweeps leases. `jobs.ts` says how jobs
 * are inserted and held, `presence.ts` which processes are there, `fair-share.ts` which jobs are taken, `dispatch.ts` how a
 * run reaches a worker. Triggers and workers call it. It never
 * reads or writes a run.
 */
export interface QueueOptions {
  database: Database
  /** Separate connections for leases, which must not wait behind the work. */
  supervision: Database
  times: LeaseTimes
  /**
   * Notices about jobs that other processes made ready; undefined in a process that executes no
   * runs.
   */
  notices?: Notices | undefined
}

export interface QueueStats {
  /** Jobs that could start now. */
  ready: number
  /** How long the oldest of them has waited, in seconds. */
  oldestSeconds: number
}

export class Queue {
  readonly times: LeaseTimes
  /** Name under which this process holds jobs. */
  readonly worker = randomUUID()
  /** Whether this process and the others are there. */
  readonly presence: Presence
  readonly #database: Database
  readonly #supervision: Database
  readonly #wakers = new Set<() => void>()
  #claimer: ((accountIds: string[]) => Claim) | undefined
  /** Account after which the next fetch continues. */
  #after = ''

  private constructor({ database, supervision, times, notices }: QueueOptions) {
    this.#database = database
    this.#supervision = supervision
    this.times = times
    const { worker } = this
    this.presence = new Presence({ worker, database, supervision, notices })
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
   * Takes up to `count` ready jobs, with at most `perAccount` in progress for each account. Reads
   * accounts in pages, continuing where the last fetch ended.
   */
  async fetch(count: number, perAccount: number): Promise<Fetched> {
    const { worker } = this
    const { leaseMs } = this.times
    const jobs: Job[] = []
    let hasAccountAtLimit = false
    let isLastRound = this.#after === ''
    for (;;) {
      const left = count - jobs.length
      const taking = { worker, leaseMs, count: left, perAccount, after: this.#after }
      const page = await takeJobs(this.#database, taking)
      this.#after = page.next
      jobs.push(...page.jobs)
      hasAccountAtLimit ||= page.hasAccountAtLimit
      if (!page.isAll) return { jobs, isAll: false, hasAccountAtLimit }
      if (page.next !== '') continue
      if (isLastRound) return { jobs, isAll: true, hasAccountAtLimit }
      isLastRound = true
    }
  }

  /** Renews leases; returns the runs whose jobs no other worker took. */
  renew(jobs: Job[]): Promise<Set<string>> {
    return renewLeases(this.#supervision, this.worker, jobs, this.times.leaseMs)
  }

  /** Makes jobs with expired leases ready. */
  async sweep(): Promise<void> {
    if ((await sweepLeases(this.#supervision)) > 0) this.wake()
  }

  /** Makes the jobs of processes ready that are gone. */
  async sweepGone(): Promise<void> {
    const gone = await this.presence.findGone()
    if (gone.length === 0) return
    if ((await releaseJobsOf(this.#supervision, gone)) > 0) this.wake()
    await this.presence.forget(gone)
  }

  /** Resolves once the table of jobs can be read. */
  async reach(): Promise<void> {
    await run(this.#supervision, allAccounts, sql`select 1 as one from jobs limit 1`)
  }

  /**
   * Makes the jobs of all other workers ready at once, without waiting for their leases to expire.
   * Only for a process that is alone on its database.
   */
  async releaseAll(): Promise<void> {
    await releaseAllJobs(this.#supervision)
  }

  /** Calls back when a job may have become ready. Returns a function to unsubscribe. */
  onWake(callback: () => void): () => void {
    this.#wakers.add(callback)
    return () => this.#wakers.delete(callback)
  }

  /** Sets what claims new jobs for this process; undefined once it takes no more. */
  claimsBy(claimer: ((accountIds: string[]) => Claim) | undefined): void {
    this.#claimer = claimer
  }

  /** Reserves slots for jobs that are about to be inserted, given the account of each. */
  claim(accountIds: string[]): Claim {
    return this.#claimer?.(accountIds) ?? noClaim
  }

  wake(): void {
    for (const callback of this.#wakers) callback()
  }

  async stats(): Promise<QueueStats> {
    const query = sql<QueueStats>`
      select count(*)::int as ready,
             coalesce(extract(epoch from now() - min(ready_at)), 0)::float8 as "oldestSeconds"
      from jobs where worker is null and ready_at <= now() and ${isFree('jobs')}
      group by account_id`
    const rows = await run(this.#database, allAccounts, query)
    return {
      ready: rows.reduce((sum, { ready }) => sum + ready, 0),
      oldestSeconds: Math.max(0, ...rows.map(({ oldestSeconds }) => oldestSeconds)),
    }
  }
}

async function senderOf(database: Database): Promise<string> {
  const { rows } = await sql<{ name: string }>`select ${poolName} as name`.execute(database)
  return (rows[0] as { name: string }).name
}
