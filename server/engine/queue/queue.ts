import { sql } from 'kysely'
import { fromKysely, PgBoss, type Db as BossDatabase } from 'pg-boss'
import type { Database, Transaction } from '../../db/client.ts'
import { isOurs, isReady, jobTable, queueName, schema } from './job-table.ts'
import { Listener } from './listener.ts'
import { notifyOf, sender, writeJobs } from './new-jobs.ts'
import { installReadyIndex, takeReadyJobs, type Fetched } from './ready-jobs.ts'

/**
 * The job engine, pg-boss behind a few words. It knows no noun: a job is a key that says what to wake,
 * a generation that tells it from jobs of that key that were left over, and a group that shares a
 * concurrency limit. In a group, what has begun goes before what has not.
 *
 * Jobs are rows, written in the caller's transaction or statement (`new-jobs.ts`). A worker takes them
 * by batches and by fair share (`ready-jobs.ts`), heartbeats them while it works and deletes them when
 * they are done; the rows that the jobs woke are the record. A job whose heartbeats stop goes back to
 * the queue within about 12 seconds.
 */
export interface NewJob {
  key: string
  generation: number
  group: string
  delaySeconds?: number
}

export interface Job {
  id: string
  key: string
  generation: number
}

export interface QueueStats {
  /** Jobs that could start now. */
  ready: number
  /** Seconds that the oldest of them has waited. */
  oldestSeconds: number
}

const heartbeatSeconds = 10

export class Queue {
  readonly #database: Database
  readonly #boss: PgBoss
  readonly #listener: Listener | undefined
  readonly #wakers = new Set<() => void>()
  /** The group behind which the next fetch looks. */
  #after = ''

  private constructor(database: Database, boss: PgBoss, listener: Listener | undefined) {
    this.#database = database
    this.#boss = boss
    this.#listener = listener
  }

  /**
   * Opens the queue; its tables must exist (`installQueue`). With `supervise` the process also looks
   * after jobs whose heartbeats stopped; with `listenUrl` it hears of jobs that others enqueue.
   */
  static async open(
    database: Database,
    options: { supervise: boolean; listenUrl?: string; onError: (error: unknown) => void },
  ): Promise<Queue> {
    const boss = createBoss(fromKysely(database), options.supervise)
    boss.on('error', options.onError)
    await boss.start()
    const listener =
      options.listenUrl === undefined
        ? undefined
        : new Listener(options.listenUrl, await senderOf(database), () => queue.wake())
    const queue = new Queue(database, boss, listener)
    return queue
  }

  /** Writes jobs in the caller's transaction. Call `wake` after its commit. */
  async enqueue(transaction: Transaction, jobs: NewJob[]): Promise<void> {
    const rows = jobs.map(({ key, generation, group, delaySeconds = 0 }) => ({
      key,
      generation,
      group_id: group,
      delay_seconds: delaySeconds,
    }))
    await sql`
      with jobs as (
        select * from json_to_recordset(${JSON.stringify(rows)}::json) as job
          (key text, generation int, group_id text, delay_seconds int)
      ), written as (${writeJobs('jobs')})
      ${notifyOf('written')}`.execute(transaction)
  }

  /** Puts a job off: the old one ends and a new one begins in the same transaction. */
  async replace(transaction: Transaction, oldId: string, job: NewJob): Promise<void> {
    await this.#boss.deleteJob(queueName, oldId, { db: fromKysely(transaction) })
    await this.enqueue(transaction, [job])
  }

  /**
   * Takes at most `count` ready jobs, so that no group has more than `perGroup` in progress. Looks at
   * the groups in turn, a page at a time, beginning where the last fetch ended.
   */
  async fetch(count: number, perGroup: number): Promise<Fetched> {
    const jobs: Job[] = []
    let isHeld = false
    let isLastRound = this.#after === ''
    for (;;) {
      const options = { count: count - jobs.length, perGroup, after: this.#after }
      const page = await takeReadyJobs(this.#database, options)
      this.#after = page.next
      jobs.push(...page.jobs)
      isHeld ||= page.isHeld
      if (!page.isAll) return { jobs, isAll: false, isHeld }
      if (page.next !== '') continue
      if (isLastRound) return { jobs, isAll: true, isHeld }
      isLastRound = true
    }
  }

  async finish(ids: string[]): Promise<void> {
    await this.#boss.deleteJob(queueName, ids)
  }

  async heartbeat(ids: string[]): Promise<void> {
    await this.#boss.touch(queueName, ids)
  }

  /**
   * Takes the jobs of workers that are gone for sure back into the queue within seconds. Only for
   * one that has the database to itself; others wait for the heartbeats to stop.
   */
  async abandonAll(): Promise<void> {
    await sql`
      update ${jobTable} set heartbeat_on = 'epoch'
      where ${isOurs} and state = 'active'`.execute(this.#database)
  }

  /** Calls back when a job may have become ready. Returns the way to stop it. */
  onWake(callback: () => void): () => void {
    this.#wakers.add(callback)
    return () => this.#wakers.delete(callback)
  }

  wake(): void {
    for (const callback of this.#wakers) callback()
  }

  async stats(): Promise<QueueStats> {
    const { rows } = await sql<QueueStats>`
      select count(*)::int as ready,
             coalesce(extract(epoch from now() - min(start_after)), 0)::float8 as "oldestSeconds"
      from ${jobTable}
      where ${isReady} and start_after <= now()`.execute(this.#database)
    return rows[0] as QueueStats
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wakers.clear()
    await this.#listener?.[Symbol.asyncDispose]()
    await this.#boss.stop({ graceful: false, close: false })
  }
}

/** Creates or updates pg-boss's own tables and the queue. Safe to call from several processes. */
export async function installQueue(database: Database): Promise<void> {
  const boss = createBoss(fromKysely(database), false, true)
  await boss.start()
  try {
    const options = {
      heartbeatSeconds,
      // The bounds below are the widest that pg-boss takes: a run ends by its own limits, never
      // because its job grew old.
      expireInSeconds: 24 * 3600,
      retentionSeconds: 10 * 365 * 24 * 3600,
      retryLimit: 1_000_000,
      retryDelay: 0,
    }
    await boss.createQueue(queueName, options)
    await boss.updateQueue(queueName, options)
    await installReadyIndex(database)
  } finally {
    await boss.stop({ graceful: false, close: false })
  }
}

function createBoss(db: BossDatabase, supervise: boolean, install = false): PgBoss {
  return new PgBoss({
    db,
    schema,
    supervise,
    migrate: install,
    createSchema: install,
    schedule: false,
    // How often jobs without a heartbeat are looked for.
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 2,
    // The queue is drained by deletion, so a backlog is no reason to warn.
    warningQueueSize: 1_000_000_000,
  })
}

async function senderOf(database: Database): Promise<string> {
  const { rows } = await sql<{ name: string }>`select ${sender} as name`.execute(database)
  return (rows[0] as { name: string }).name
}
