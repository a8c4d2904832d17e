import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { execute, run, runEach } from '../../db/run.ts'
import { withNotices } from '../../db/fragments.ts'
import type { Database } from '../../db/client.ts'
import { Notices } from '../../db/notices.ts'
import { onCitus } from '../../db/cluster/test-citus.ts'
import { createTestDatabase, type TestDatabase } from '../../db/test-database.ts'
import { dequeue, enqueue, type Job, leaseTimes, type LeaseTimes } from './jobs.ts'
import { until as waitUntil } from '../../../rig/until.ts'
import { Queue } from './queue.ts'
import { QueueWorker, type WorkOptions } from './job-loop.ts'
import { pluck } from '../../../test/pluck.ts'

let testDatabase: TestDatabase
let database: Database
let supervision: Database
let notices: Notices
let queue: Queue

/** Leases are longer than any test; renewals and sweeps are frequent. */
const times: LeaseTimes = { leaseMs: 60_000, renewMs: 30, sweepMs: 20, pollMs: 500 }

before(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.open(5)
  supervision = testDatabase.open(2)
  notices = new Notices(testDatabase.url)
  queue = await Queue.open({ database, supervision, times, notices })
})
beforeEach(() => sql`delete from jobs`.execute(database))
// A worker left behind by a failed test would take the jobs of the next.
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())))
after(async () => {
  await notices[Symbol.asyncDispose]()
  await supervision.destroy()
  await database.destroy()
  await testDatabase[Symbol.asyncDispose]()
})

interface TestJob {
  runId: string
  accountId: string
  begun: boolean
  delaySeconds: number
}

async function put(executor: Database, ...jobs: TestJob[]): Promise<void> {
  await runEach(executor, jobs, async (part) => {
    const rows = sql`
      select account_id, run_id, begun, delay_seconds
      from json_to_recordset(${JSON.stringify(
        part.map((one) => ({
          account_id: one.accountId,
          run_id: one.runId,
          begun: one.begun,
          delay_seconds: one.delaySeconds,
        })),
      )}::json) as job (account_id text, run_id text, begun boolean, delay_seconds int)`
    const query = sql`with ready as (${enqueue(rows)}) ${withNotices(sql`select 1 as one from ready`, 'ready')}`
    return run(executor, part, query)
  })
}
const add = (...jobs: TestJob[]) => put(database, ...jobs)
const job = (runId: string, fields: Partial<TestJob> = {}): TestJob => ({
  runId,
  accountId: 'g',
  begun: false,
  delaySeconds: 0,
  ...fields,
})
const remove = ({ accountId, runId }: Job) =>
  execute(
    database,
    [{ accountId }],
    sql`with gone as (${dequeue(sql`select ${accountId}::text, ${runId}::text`)}) select`,
  )
const runIds = (jobs: Job[]) => pluck(jobs, 'runId').sort()
const fetchJobs = async (count: number, perAccount: number, from = queue) =>
  (await from.fetch(count, perAccount)).jobs
const openQueue = (own: Partial<LeaseTimes> = {}, over = database) =>
  Queue.open({ database: over, supervision, times: { ...times, ...own } })

const readLease = async (runId: string) =>
  database
    .selectFrom('jobs')
    .select(['worker', 'lease_until'])
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow()

/** Whether a time has passed by the database's clock. */
async function isPast(time: Date | null): Promise<boolean> {
  const { rows } = await sql<{ is_past: boolean }>`
    select ${time}::timestamptz < now() as is_past`.execute(database)
  return rows[0]?.is_past ?? false
}

/** Lets all leases expire at once. */
const expireLeases = () =>
  sql`update jobs set lease_until = now() - interval '1 second' where worker is not null`.execute(
    database,
  )

const workers: QueueWorker[] = []

function work(options: Partial<WorkOptions>, over = queue): QueueWorker {
  const worker = new QueueWorker(over, {
    concurrency: 10,
    accountConcurrency: 100,
    start: (jobs) => jobs.map((one) => remove(one)),
    onLost: () => {},
    onError: (error) => assert.fail(String(error)),
    ...options,
  })
  workers.push(worker)
  return worker
}

/** Jobs that last until the test ends them, and are then deleted. */
function gated(): { starts: PromiseWithResolvers<void>[]; start: WorkOptions['start'] } {
  const starts: PromiseWithResolvers<void>[] = []
  return {
    starts,
    start: (jobs) =>
      jobs.map((one) => {
        const gate = Promise.withResolvers<void>()
        starts.push(gate)
        return gate.promise.then(() => remove(one))
      }),
  }
}

const until = (condition: () => Promise<boolean> | boolean) =>
  waitUntil('it is so', 20_000, condition, 10)

async function count(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from jobs`.execute(database)
  return rows[0]?.count ?? -1
}

describe('the queue', () => {
  it('gives each job once, and forgets those whose runs rest', async () => {
    await add(...['a', 'b', 'c'].map((runId) => job(runId)))
    const atOnce = await Promise.all([fetchJobs(2, 100), fetchJobs(2, 100)])
    // One fetch may have found only jobs that the other took.
    const all = [...atOnce.flat(), ...(await fetchJobs(2, 100))]
    assert.deepEqual(runIds(all), ['a', 'b', 'c'])
    for (const one of all) await remove(one)
    assert.equal(await count(), 0)
  })

  it('gives a job to one of many that take at once', async () => {
    await add(job('a'))
    const others = await Promise.all(Array.from({ length: 4 }, () => openQueue()))
    const taken = await Promise.all(others.map((one) => fetchJobs(10, 100, one)))
    assert.equal(taken.flat().length, 1)
  })

  it('has one job for a run, however often it is enqueued', async () => {
    await add(job('a'))
    await add(job('a', { delaySeconds: 3600 }))
    assert.equal(await count(), 1)
    assert.deepEqual(await fetchJobs(1, 100), [])
    await add(job('a'))
    assert.deepEqual(runIds(await fetchJobs(1, 100)), ['a'])
    // Enqueueing takes a job from the worker that holds it.
    await add(job('a'))
    assert.deepEqual(runIds(await fetchJobs(1, 100)), ['a'])
    assert.equal(await count(), 1)
  })

  it('writes in the caller transaction', async () => {
    await assert.rejects(
      database.transaction().execute(async (transaction) => {
        await put(transaction, job('never'))
        throw new Error('rolled back')
      }),
      /rolled back/,
    )
    assert.deepEqual(await fetchJobs(1, 100), [])
  })

  it('holds a job back until its time, and puts another off', async () => {
    await add(job('later', { delaySeconds: 3600 }), job('now'))
    const [fetched] = await fetchJobs(5, 100)
    assert.equal(fetched?.runId, 'now')
    await add(job('now', { delaySeconds: 3600 }))
    assert.deepEqual(await fetchJobs(5, 100), [])
    assert.equal(await count(), 2)
    assert.equal((await queue.stats()).ready, 0)
  })

  it('keeps an account to its limit and lets others pass', async () => {
    await add(...['a', 'b', 'c'].map((runId) => job(runId)), job('other', { accountId: 'h' }))
    assert.equal((await fetchJobs(10, 2)).length, 3)
    assert.deepEqual(await fetchJobs(10, 2), [])
  })

  it('gives turns to the accounts with the least in progress, the oldest jobs of each first', async () => {
    for (let n = 0; n < 6; n++) await add(job(`big ${n}`, { accountId: 'big' }))
    await add(job('small 0', { accountId: 'small' }), job('tiny 0', { accountId: 'tiny' }))
    const first = [...(await fetchJobs(2, 100)), ...(await fetchJobs(2, 100))]
    assert.deepEqual(runIds(first), ['big 0', 'big 1', 'small 0', 'tiny 0'])
    assert.deepEqual(runIds(await fetchJobs(10, 100)), ['big 2', 'big 3', 'big 4', 'big 5'])
  })

  it('finds the job behind an account with thousands, which is at its limit', async () => {
    await add(...Array.from({ length: 5_000 }, (_, n) => job(`crowd ${n}`)))
    assert.equal((await fetchJobs(128, 100)).length, 100)
    await add(job('single', { accountId: 'z' }))
    const fetched = await queue.fetch(128, 100)
    assert.deepEqual(runIds(fetched.jobs), ['single'])
    assert.deepEqual([fetched.isAll, fetched.hasAccountAtLimit], [true, true])
  })

  it('looks at more accounts than one statement does', async () => {
    const accounts = Array.from({ length: 450 }, (_, n) => `g${String(n).padStart(3, '0')}`)
    await add(
      ...accounts.flatMap((accountId) => [
        job(`${accountId} a`, { accountId }),
        job('b', { accountId }),
      ]),
    )
    const first = await fetchJobs(449, 1)
    assert.equal(new Set(pluck(first, 'accountId')).size, 449)
    // The remaining job is anywhere in the round of accounts.
    assert.equal((await queue.fetch(10, 1)).jobs.length, 1)
    const none = await queue.fetch(10, 1)
    assert.deepEqual([none.jobs, none.isAll, none.hasAccountAtLimit], [[], true, true])
  })

  it('keeps to the limit of an account when several processes fetch at once', async () => {
    await add(...Array.from({ length: 400 }, (_, n) => job(String(n))))
    const others = await Promise.all(Array.from({ length: 4 }, () => openQueue()))
    for (let round = 0; round < 5; round++) {
      const fetched = await Promise.all(others.map((one) => one.fetch(64, 100)))
      const all = runIds(fetched.flatMap(({ jobs }) => jobs))
      assert.equal(new Set(all).size, all.length)
    }
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from jobs where worker is not null`.execute(database)
    assert.equal(rows[0]?.count, 100)
  })

  it('counts what is ready and how old it is', async () => {
    await add(job('a'), job('b', { delaySeconds: 60 }))
    const { ready, oldestSeconds } = await queue.stats()
    assert.equal(ready, 1)
    assert.ok(oldestSeconds >= 0 && oldestSeconds < 30)
  })

  it('takes first, in an account, what has begun: by its run, or because it was taken before', async () => {
    await add(job('dropped by a crash'))
    await fetchJobs(1, 100)
    await add(job('new a'), job('new b'))
    await add(job('answered', { begun: true }), job('put off', { begun: true, delaySeconds: 60 }))
    await expireLeases()
    await queue.sweep()
    const first = await fetchJobs(2, 100)
    assert.deepEqual(runIds(first), ['answered', 'dropped by a crash'])
    assert.deepEqual(runIds(await fetchJobs(4, 100)), ['new a', 'new b'])
  })

  it('hears of jobs that another process enqueues, and not of its own', async () => {
    let heard = 0
    const stop = queue.onWake(() => heard++)
    const elsewhere = testDatabase.open(1)
    await add(job('own'))
    await put(elsewhere, job('later', { delaySeconds: 60 }))
    await put(elsewhere, job('a'))
    await until(() => heard > 0)
    // Notices come in the order of their commits.
    assert.equal(heard, 1)
    stop()
    await elsewhere.destroy()
  })
})

describe('a lease', () => {
  it('is as long as the options say, and those that derive from it are shorter', async () => {
    const short = await openQueue(leaseTimes(800))
    assert.deepEqual(short.times, { leaseMs: 800, renewMs: 200, sweepMs: 100, pollMs: 100 })
    await add(job('a'))
    await fetchJobs(1, 1, short)
    const { rows } = await sql<{ left: number }>`
      select extract(epoch from lease_until - now())::float8 as left from jobs`.execute(database)
    // The column rounds to milliseconds.
    assert.ok((rows[0]?.left ?? 9) <= 0.801)
  })

  it('is renewed for the jobs that are named, as long as their worker holds them', async () => {
    await add(job('a'), job('b'), job('c'), job('gone'))
    const jobs = await fetchJobs(4, 100)
    const other = await openQueue()
    await remove(job('gone'))
    await add(job('b'))
    // A fetch skips rows that any transaction has locked.
    let taken: string[] = []
    await until(async () => (taken = runIds(await fetchJobs(1, 100, other))).length > 0)
    assert.deepEqual(taken, ['b'])
    await expireLeases()
    const named = jobs.filter(({ runId }) => runId !== 'c')
    // A job that another worker took, or that was deleted, is lost.
    assert.deepEqual([...(await queue.renew(named))], ['a'])
    await queue.sweep()
    assert.equal((await readLease('a')).worker, queue.worker)
    assert.equal((await readLease('b')).worker, null)
    assert.equal((await readLease('c')).worker, null)
  })

  it('that has expired is not lost before another takes the job', async () => {
    await add(job('a'))
    const jobs = await fetchJobs(1, 100)
    await expireLeases()
    await queue.sweep()
    assert.deepEqual([...(await queue.renew(jobs))], ['a'])
    assert.equal((await readLease('a')).worker, null)
    await fetchJobs(1, 100, await openQueue())
    assert.deepEqual([...(await queue.renew(jobs))], [])
  })

  it('is swept only when it has expired, by the clock of the database', async () => {
    await add(job('a'), job('b'))
    await fetchJobs(2, 100)
    await sql`update jobs set lease_until = now() - interval '1 ms' where run_id = 'a'`.execute(
      database,
    )
    await queue.sweep()
    assert.deepEqual(runIds(await fetchJobs(2, 100)), ['a'])
  })

  it('ends at once for all jobs of former processes', async () => {
    await add(job('a'), job('b'))
    await fetchJobs(2, 100)
    await queue.releaseAll()
    assert.deepEqual(runIds(await fetchJobs(2, 100)), ['a', 'b'])
  })

  const elsewhere = onCitus('the counts of the index are on the node')
  it('is renewed in place, without a new entry in any index', { skip: elsewhere }, async () => {
    await add(job('a'))
    const jobs = await fetchJobs(1, 100)
    await database.transaction().execute(async (transaction) => {
      const own = await Queue.open({ database: transaction, supervision: transaction, times })
      Object.assign(own, { worker: queue.worker })
      const readCounts = async () => {
        const { rows } = await sql<{ updated: number; hot: number }>`
          select pg_stat_get_xact_tuples_updated('jobs'::regclass)::int as updated,
                 pg_stat_get_xact_tuples_hot_updated('jobs'::regclass)::int as hot`.execute(
          transaction,
        )
        return rows[0] ?? { updated: 0, hot: 0 }
      }
      const before = await readCounts()
      await own.renew(jobs)
      const after = await readCounts()
      assert.deepEqual([after.updated - before.updated, after.hot - before.hot], [1, 1])
    })
  })

  it('waits for nobody who changes a job at this moment', async () => {
    await add(job('a'), job('b'))
    const jobs = await fetchJobs(2, 100)
    await database.transaction().execute(async (transaction) => {
      await sql`select from jobs where account_id = 'g' and run_id = 'a' for update`.execute(
        transaction,
      )
      assert.deepEqual([...(await queue.renew(jobs))].sort(), ['a', 'b'])
      await queue.sweep()
      await fetchJobs(1, 100)
    })
  })
})

describe('a worker', () => {
  it('takes as many as it has slots, and more as they come free', async () => {
    const { starts, start } = gated()
    const worker = work({ concurrency: 3, start })
    await add(...Array.from({ length: 5 }, (_, n) => job(String(n))))
    queue.wake()
    await until(() => starts.length === 3)
    assert.equal(worker.inProgress, 3)
    starts[0]?.resolve()
    await until(() => starts.length === 4)
    for (const one of starts) one.resolve()
    await until(() => starts.length === 5)
    starts[4]?.resolve()
    await until(async () => (await count()) === 0)
  })

  it('leaves a job whose work fell over to its lease', async () => {
    const errors: unknown[] = []
    let tries = 0
    work({
      onError: (error) => errors.push(error),
      start: (jobs) =>
        jobs.map(async (one) => {
          if (++tries === 1) throw new Error('fell over')
          await remove(one)
        }),
    })
    await add(job('a'))
    await until(() => errors.length === 1)
    assert.equal(await count(), 1)
    await expireLeases()
    await until(async () => (await count()) === 0)
    assert.equal(tries, 2)
  })

  it('renews the leases of long work, so that nobody else takes it', async () => {
    const { starts, start } = gated()
    const short = { leaseMs: 1_500, pollMs: 20 }
    const worker = work({ start }, await openQueue(short))
    work({ start }, await openQueue(short))
    await add(job('a'))
    await until(() => starts.length === 1)
    const { lease_until: firstEnd } = await readLease('a')
    await until(() => isPast(firstEnd))
    assert.equal(starts.length, 1)
    starts[0]?.resolve()
    await until(async () => (await count()) === 0)
    await worker.stop()
  })

  it('takes over from one that renews no more, within a lease', async () => {
    await add(job('a'))
    await fetchJobs(1, 100, await openQueue(leaseTimes(400)))
    const { lease_until: end } = await readLease('a')
    const { starts, start } = gated()
    work({ start }, await openQueue(leaseTimes(400)))
    await until(() => starts.length === 1)
    assert.ok(await isPast(end), 'not before it had expired')
    starts[0]?.resolve()
    await until(async () => (await count()) === 0)
  })

  it('is told of what another took from it, and of what ended', async () => {
    const { starts, start } = gated()
    const lost: string[] = []
    work({ start, onLost: (ids) => lost.push(...ids) })
    await add(job('a'), job('b'), job('c'))
    queue.wake()
    await until(() => starts.length === 3)
    await remove(job('a'))
    await sql`update jobs set worker = 'another' where run_id = 'b'`.execute(database)
    await until(() => new Set(lost).size === 2)
    assert.deepEqual([...new Set(lost)].sort(), ['a', 'b'])
    for (const one of starts) one.resolve()
    await until(async () => (await count()) === 0)
  })

  it('lets the living renew before it sweeps, when nobody could for long', async () => {
    const { starts, start } = gated()
    // Sweeps are so rare that each follows a silence.
    work({ start }, await openQueue({ leaseMs: 100, renewMs: 300, sweepMs: 150 }))
    const quick = await openQueue()
    await add(job('a'))
    const taken = await fetchJobs(1, 100, quick)
    if (taken.length > 0) await expireLeases()
    await new Promise((resolve) => setTimeout(resolve, 600))
    assert.equal(starts.length, taken.length === 0 ? 1 : 0)
    for (const one of starts) one.resolve()
  })

  it('keeps a job that came again while its first start was still under way', async () => {
    const starts: PromiseWithResolvers<void>[] = []
    const worker = work({
      start: (jobs) =>
        jobs.map(() => {
          const one = Promise.withResolvers<void>()
          starts.push(one)
          return one.promise
        }),
    })
    await add(job('a'))
    await until(() => starts.length === 1)
    await until(async () => {
      await expireLeases()
      return starts.length > 1
    })
    starts[0]?.resolve()
    await starts[0]?.promise
    assert.equal(worker.inProgress, 1, 'the second start holds its slot')
    assert.equal(await count(), 1)
    for (const one of starts) one.resolve()
  })

  it('takes the next job of an account at its limit as soon as one has ended', async () => {
    const { starts, start } = gated()
    await add(...Array.from({ length: 30 }, (_, n) => job(String(n))))
    // The worker does not poll while the test lasts.
    const worker = work({ accountConcurrency: 1, start }, await openQueue({ pollMs: 120_000 }))
    for (let n = 0; n < 30; n++) {
      await until(() => starts.length === n + 1)
      assert.equal(worker.inProgress, 1)
      starts[n]?.resolve()
    }
    await until(async () => (await count()) === 0)
  })

  it('drains: takes nothing new and waits for what is in progress', async () => {
    const { starts, start } = gated()
    const worker = work({ start })
    await add(job('a'))
    await until(() => worker.inProgress === 1)
    const drained = worker.drain(10_000)
    await add(job('b'))
    queue.wake()
    starts[0]?.resolve()
    await drained
    await worker.stop()
    assert.equal(worker.inProgress, 0)
    assert.deepEqual(runIds(await fetchJobs(5, 100)), ['b'])
  })
})
