import { sql } from 'kysely'
import pg from 'pg'
import { fromKysely, PgBoss, type Db as BossDatabase } from 'pg-boss'
import { connectionOptions, type Database, type Transaction } from '../db/client.ts'
import { channel, notifyOf, sender, writeJobs } from './new-jobs.ts'
import { installReadyIndex, takeReadyJobs, type Fetched } from './ready-jobs.ts'

/**
 * The job engine, pg-boss behind a few words. It knows no noun: a job is a kind, a key that says
 * what to wake, a generation that tells it from jobs of that key that were left over, and a group that
 * shares a concurrency limit.
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

const schema = 'pgboss'
const runQueue = 'run'
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
    await this.#boss.deleteJob(runQueue, oldId, { db: fromKysely(transaction) })
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
    await this.#boss.deleteJob(runQueue, ids)
  }

  async heartbeat(ids: string[]): Promise<void> {
    await this.#boss.touch(runQueue, ids)
  }

  /**
   * Takes the jobs of workers that are gone for sure back into the queue within seconds. Only for
   * one that has the database to itself; others wait for the heartbeats to stop.
   */
  async abandonAll(): Promise<void> {
    await this.#boss
      .getDb()
      .executeSql(
        `update ${schema}.job set heartbeat_on = 'epoch' where name = $1 and state = 'active'`,
        [runQueue],
      )
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
    const { rows } = await this.#boss.getDb().executeSql(
      `select count(*)::int as ready,
              coalesce(extract(epoch from now() - min(start_after)), 0)::float8 as "oldestSeconds"
       from ${schema}.job
       where name = $1 and state < 'active' and not blocked and start_after <= now()`,
      [runQueue],
    )
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
    await boss.createQueue(runQueue, options)
    await boss.updateQueue(runQueue, options)
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

/** One connection that LISTENs and comes back when it breaks; polling covers the gap. */
class Listener {
  readonly #url: string
  /** Whose notices are no news. */
  readonly #self: string
  readonly #onNotice: () => void
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(url: string, self: string, onNotice: () => void) {
    this.#url = url
    this.#self = self
    this.#onNotice = onNotice
    void this.#connect()
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({ ...connectionOptions(this.#url), keepAlive: true })
    this.#client = client
    client.on('notification', ({ payload }) => {
      if (payload !== this.#self) this.#onNotice()
    })
    client.on('error', () => {})
    client.once('end', () => this.#reconnect())
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      this.#onNotice()
    } catch {
      client.end().catch(() => {})
      this.#reconnect()
    }
  }

  #reconnect(): void {
    if (this.#closed || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#connect()
    }, 1_000).unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => {})
  }
}
