import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, createPool, type Database } from '../../db/client.ts'
import { createTestDatabase, type TestDatabase } from '../../db/test-database.ts'
import { Queue, type NewJob } from './queue.ts'
import { QueueWorker, type WorkOptions } from './worker.ts'

let testDatabase: TestDatabase
let database: Database
let queue: Queue

const onError = (error: unknown) => assert.fail(String(error))

before(async () => {
  testDatabase = await createTestDatabase()
  database = createDatabase(createPool(testDatabase.url, 5))
  queue = await Queue.open(database, { supervise: true, listenUrl: testDatabase.url, onError })
})
beforeEach(() => sql`delete from pgboss.job`.execute(database))
// A test that fails leaves no worker behind, which would take the jobs of the next.
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())))
after(async () => {
  await queue[Symbol.asyncDispose]()
  await database.destroy()
  await testDatabase[Symbol.asyncDispose]()
})

const enqueue = (...jobs: NewJob[]) =>
  database.transaction().execute((transaction) => queue.enqueue(transaction, jobs))
const job = (key: string, fields: Partial<NewJob> = {}): NewJob => ({
  key,
  generation: 0,
  group: 'g',
  ...fields,
})
const keys = (jobs: { key: string }[]) => jobs.map(({ key }) => key).sort()
const fetchJobs = async (count: number, perGroup: number) =>
  (await queue.fetch(count, perGroup)).jobs

const workers: QueueWorker[] = []

function work(options: Partial<WorkOptions>): QueueWorker {
  const worker = new QueueWorker(queue, {
    concurrency: 10,
    groupConcurrency: 100,
    start: (jobs) => jobs.map(async () => 'done'),
    onHeartbeat: async () => {},
    onError,
    ...options,
  })
  workers.push(worker)
  return worker
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10))
}

async function count(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pgboss.job`.execute(database)
  return rows[0]?.count ?? -1
}

describe('the queue', () => {
  it('gives each job once, and forgets those that are done', async () => {
    await enqueue(...['a', 'b', 'c'].map((key) => job(key)))
    const atOnce = await Promise.all([fetchJobs(2, 100), fetchJobs(2, 100)])
    // One of the two may have gone for what the other took.
    const all = [...atOnce.flat(), ...(await fetchJobs(2, 100))]
    assert.deepEqual(keys(all), ['a', 'b', 'c'])
    await queue.finish(all.map(({ id }) => id))
    assert.equal(await count(), 0)
  })

  it('writes in the caller transaction', async () => {
    await assert.rejects(
      database.transaction().execute(async (transaction) => {
        await queue.enqueue(transaction, [job('never')])
        throw new Error('rolled back')
      }),
      /rolled back/,
    )
    assert.deepEqual(await fetchJobs(1, 100), [])
  })

  it('holds a job back until its time, and puts another off', async () => {
    await enqueue(job('later', { delaySeconds: 3600 }), job('now'))
    const [fetched] = await fetchJobs(5, 100)
    assert.equal(fetched?.key, 'now')
    await database
      .transaction()
      .execute((transaction) =>
        queue.replace(transaction, fetched?.id ?? '', job('now', { delaySeconds: 3600 })),
      )
    assert.deepEqual(await fetchJobs(5, 100), [])
    assert.equal(await count(), 2)
    assert.equal((await queue.stats()).ready, 0)
  })

  it('keeps a group to its limit and lets others pass', async () => {
    await enqueue(...['a', 'b', 'c'].map((key) => job(key)), job('other', { group: 'h' }))
    assert.deepEqual(keys(await fetchJobs(10, 2)).length, 3)
    assert.deepEqual(await fetchJobs(10, 2), [])
  })

  it('gives turns to the groups with the least in progress, the oldest jobs of each first', async () => {
    for (let n = 0; n < 6; n++) await enqueue(job(`big ${n}`, { group: 'big' }))
    await enqueue(job('small 0', { group: 'small' }), job('tiny 0', { group: 'tiny' }))
    const first = [...(await fetchJobs(2, 100)), ...(await fetchJobs(2, 100))]
    assert.deepEqual(keys(first), ['big 0', 'big 1', 'small 0', 'tiny 0'])
    assert.deepEqual(keys(await fetchJobs(10, 100)), ['big 2', 'big 3', 'big 4', 'big 5'])
  })

  it('finds the job behind a group with thousands, which is at its limit', async () => {
    const crowd = Array.from({ length: 5_000 }, (_, n) => job(`crowd ${n}`))
    await enqueue(...crowd)
    assert.equal((await fetchJobs(128, 100)).length, 100)
    await enqueue(job('single', { group: 'z' }))
    const fetched = await queue.fetch(128, 100)
    assert.deepEqual(keys(fetched.jobs), ['single'])
    assert.deepEqual([fetched.isAll, fetched.isHeld], [true, true])
  })

  it('looks at more groups than one statement does', async () => {
    const groups = Array.from({ length: 450 }, (_, n) => `g${String(n).padStart(3, '0')}`)
    await enqueue(...groups.flatMap((group) => [job(`${group} a`, { group }), job('b', { group })]))
    const first = await fetchJobs(449, 1)
    assert.equal(new Set(keys(first)).size, 449)
    // The one that is left lies anywhere in the round.
    assert.equal((await queue.fetch(10, 1)).jobs.length, 1)
    const none = await queue.fetch(10, 1)
    assert.deepEqual([none.jobs, none.isAll, none.isHeld], [[], true, true])
  })

  it('keeps to the limit of a group when several processes fetch at once', async () => {
    await enqueue(...Array.from({ length: 400 }, (_, n) => job(String(n))))
    const others = await Promise.all(
      Array.from({ length: 4 }, () => Queue.open(database, { supervise: false, onError })),
    )
    for (let round = 0; round < 5; round++) {
      const fetched = await Promise.all(others.map((one) => one.fetch(64, 100)))
      const all = keys(fetched.flatMap(({ jobs }) => jobs))
      assert.equal(new Set(all).size, all.length)
    }
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pgboss.job where state = 'active'`.execute(database)
    assert.equal(rows[0]?.count, 100)
    for (const other of others) await other[Symbol.asyncDispose]()
  })

  it('counts what is ready and how old it is', async () => {
    await enqueue(job('a'), job('b', { delaySeconds: 60 }))
    const { ready, oldestSeconds } = await queue.stats()
    assert.equal(ready, 1)
    assert.ok(oldestSeconds >= 0 && oldestSeconds < 30)
  })

  it('takes first, in a group, what has begun: a later generation, or what was taken before', async () => {
    await enqueue(job('dropped by a crash'))
    await fetchJobs(1, 100)
    await enqueue(job('new a'), job('new b'))
    await enqueue(
      job('answered', { generation: 1 }),
      job('put off', { generation: 1, delaySeconds: 60 }),
    )
    await sql`update pgboss.job set heartbeat_on = now() - interval '1 hour'`.execute(database)
    await until(async () => (await queue.stats()).ready === 4)
    const first = await fetchJobs(2, 100)
    assert.deepEqual(keys(first), ['answered', 'dropped by a crash'])
    assert.deepEqual(keys(await fetchJobs(4, 100)), ['new a', 'new b'])
  })

  it('hears of jobs that another process enqueues, and not of its own', async () => {
    let heard = 0
    const stop = queue.onWake(() => heard++)
    const elsewhere = createDatabase(createPool(testDatabase.url, 1))
    const deaf = await Queue.open(elsewhere, { supervise: false, onError })
    await enqueue(job('own'))
    await elsewhere.transaction().execute((transaction) => deaf.enqueue(transaction, [job('a')]))
    await until(() => heard > 0)
    // Notices come in the order of their commits.
    assert.equal(heard, 1)
    stop()
    await deaf[Symbol.asyncDispose]()
    await elsewhere.destroy()
  })
})

describe('a worker', () => {
  it('takes as many as it has slots, and more as they come free', async () => {
    const started: PromiseWithResolvers<'done'>[] = []
    const worker = work({
      concurrency: 3,
      start: (jobs) =>
        jobs.map(() => {
          const one = Promise.withResolvers<'done'>()
          started.push(one)
          return one.promise
        }),
    })
    await enqueue(...Array.from({ length: 5 }, (_, n) => job(String(n))))
    await until(() => started.length === 3)
    assert.equal(worker.inProgress, 3)
    started[0]?.resolve('done')
    await until(() => started.length === 4)
    for (const one of started) one.resolve('done')
    await until(() => started.length === 5)
    started[4]?.resolve('done')
    await until(async () => (await count()) === 0)
    await worker.stop()
  })

  it('keeps a job whose work fell over, for when its heartbeats have stopped', async () => {
    const errors: unknown[] = []
    let tries = 0
    const worker = work({
      onError: (error) => errors.push(error),
      start: (jobs) =>
        jobs.map(async () => {
          if (++tries === 1) throw new Error('fell over')
          return 'done'
        }),
    })
    await enqueue(job('a'))
    await until(() => errors.length === 1)
    assert.equal(await count(), 1)
    await sql`update pgboss.job set heartbeat_on = now() - interval '1 hour'`.execute(database)
    await until(async () => (await count()) === 0)
    assert.equal(tries, 2)
    await worker.stop()
  })

  it('keeps the heartbeat of long work, so that nobody else takes it', async () => {
    const gate = Promise.withResolvers<'done'>()
    let beats = 0
    const worker = work({
      start: (jobs) => jobs.map(() => gate.promise),
      onHeartbeat: async () => {
        beats++
      },
    })
    await enqueue(job('a'))
    await until(() => worker.inProgress === 1)
    // Young enough to live until the next heartbeat, old enough to tell it from this one.
    await sql`update pgboss.job set heartbeat_on = now() - interval '5 seconds'`.execute(database)
    await until(async () => {
      const { rows } = await sql<{ age: number }>`
        select extract(epoch from now() - heartbeat_on)::float8 as age from pgboss.job
      `.execute(database)
      return (rows[0]?.age ?? 99) < 3
    })
    assert.ok(beats > 0)
    assert.equal(worker.inProgress, 1, 'nobody else has taken it')
    gate.resolve('done')
    await until(async () => (await count()) === 0)
    await worker.stop()
  })

  it('keeps a job that came again while its first start was still under way', async () => {
    const starts: PromiseWithResolvers<'done' | 'left'>[] = []
    const worker = work({
      start: (jobs) =>
        jobs.map(() => {
          const one = Promise.withResolvers<'done' | 'left'>()
          starts.push(one)
          return one.promise
        }),
    })
    await enqueue(job('a'))
    await until(() => starts.length === 1)
    while (starts.length === 1) {
      await sql`update pgboss.job set heartbeat_on = now() - interval '1 hour'`.execute(database)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    starts[0]?.resolve('done')
    await starts[0]?.promise
    assert.equal(worker.inProgress, 1, 'the second start holds its slot')
    assert.equal(await count(), 1)
    starts[1]?.resolve('done')
    await until(async () => (await count()) === 0)
    await worker.stop()
  })

  it('takes the next job of a group at its limit as soon as one has ended', async () => {
    const started: PromiseWithResolvers<'done'>[] = []
    const worker = work({
      groupConcurrency: 1,
      start: (jobs) =>
        jobs.map(() => {
          const one = Promise.withResolvers<'done'>()
          started.push(one)
          return one.promise
        }),
    })
    await enqueue(...Array.from({ length: 30 }, (_, n) => job(String(n))))
    const beganAt = performance.now()
    for (let n = 0; n < 30; n++) {
      await until(() => started.length === n + 1)
      assert.equal(worker.inProgress, 1)
      started[n]?.resolve('done')
    }
    // A worker that looked only every half second would take 15 s.
    assert.ok(performance.now() - beganAt < 7_500)
    await until(async () => (await count()) === 0)
    await worker.stop()
  })

  it('drains: takes nothing new and waits for what is in progress', async () => {
    const gate = Promise.withResolvers<'done'>()
    const worker = work({ start: (jobs) => jobs.map(() => gate.promise) })
    await enqueue(job('a'))
    await until(() => worker.inProgress === 1)
    const drained = worker.drain(10_000)
    await enqueue(job('b'))
    queue.wake()
    gate.resolve('done')
    await drained
    await worker.stop()
    assert.equal(worker.inProgress, 0)
    assert.deepEqual(keys(await fetchJobs(5, 100)), ['b'])
  })
})
