import assert from 'node:assert/strict'
import { afterEach, beforeEach, it } from 'node:test'
import { sql } from 'kysely'
import { until } from '../../../rig/until.ts'
import { run } from '../../db/run.ts'
import { enqueueNew, claimJobs, noClaim, type Claim, leaseTimes } from './jobs.ts'
import { Queue } from './queue.ts'
import { QueueWorker } from './job-loop.ts'
import { databaseFixture } from '../../../test/fixture.ts'
import { pluck } from '../../../test/pluck.ts'
import { fetched, type Dispatch } from './dispatch.ts'

let queue: Queue
let worker: QueueWorker
let started: Dispatch[] = []
let ends: PromiseWithResolvers<void>[] = []

const database = databaseFixture(5)
beforeEach(async () => {
  await sql`delete from jobs`.execute(database)
  started = []
  ends = []
  queue = await Queue.open({ database, supervision: database, times: leaseTimes(60_000) })
  worker = new QueueWorker(queue, {
    concurrency: 3,
    accountConcurrency: 4,
    start: (jobs) =>
      jobs.map((job) => {
        const end = Promise.withResolvers<void>()
        started.push(job)
        ends.push(end)
        return end.promise
      }),
    onLost: () => {},
    onError: (error) => assert.fail(String(error)),
  })
})
afterEach(() => worker.stop())

/** Inserts jobs of an account; returns the claimed ones. */
async function make(claim: Claim, accountId: string, ...runIds: string[]): Promise<string[]> {
  const source = sql`select ${accountId}::text, unnest(${runIds}::text[])`
  const query = sql<{ runId: string; isHeld: boolean }>`
    with ${claimJobs(source, claim)}, ready as (${enqueueNew(source, claim)})
    select run_id as "runId", is_held as "isHeld" from ready`
  const rows = await run(database, accountId, query)
  return rows.flatMap(({ runId, isHeld }) => (isHeld ? [runId] : [])).sort()
}

/** A claim of this many slots, as soon as the worker's last fetch has found nothing. */
async function claimOf(slots: number, accountId = 'a'): Promise<Claim> {
  let claim: Claim | undefined
  await until('the worker gives slots', 30_000, () => {
    claim?.[Symbol.dispose]()
    claim = queue.claim(Array.from({ length: slots }, () => accountId))
    return claim.slots === slots
  })
  return claim as Claim
}

void it('new jobs are held by the process that makes them and begin there, up to its slots', async () => {
  {
    using claim = await claimOf(3)
    assert.equal(queue.claim(['a']).slots, 0, 'the slots are kept for the claim')
    assert.deepEqual(await make(claim, 'a', '1', '2'), ['1', '2'])
    assert.deepEqual(await make(claim, 'b', '3', '4', '5', '6'), ['3', '4'])
    claim.start([fetched({ accountId: 'a', runId: '1' })])
  }
  assert.deepEqual(started, [{ accountId: 'a', runId: '1', kind: 'fetched' }])
  const { rows } = await sql`
    select run_id, worker = ${queue.worker} as held, begun from jobs order by 1 limit 3`.execute(
    database,
  )
  assert.deepEqual(
    rows,
    ['1', '2', '3'].map((run_id) => ({ run_id, held: true, begun: true })),
  )
  // Unclaimed jobs are fetched.
  queue.wake()
  await until('the others begin', 30_000, () => started.length === 3)
  assert.deepEqual(pluck(started.slice(1), 'runId').sort(), ['5', '6'])
  assert.equal(queue.claim(['a']).slots, 0, 'the process is full')
  ends[0]?.resolve()
  using next = await claimOf(1)
  assert.deepEqual(await make(next, 'c', '7'), ['7'])
})

void it('an account claims up to half of its limit, and nothing while one of its jobs waits', async () => {
  const claim: Claim = { ...(await claimOf(3)), worker: 'x', slots: 100, perAccount: 3 }
  assert.deepEqual(await make(claim, 'a', '1', '2'), ['1', '2'])
  assert.deepEqual(await make(claim, 'a', '3', '4'), ['3'])
  assert.deepEqual(await make(claim, 'b', '1'), ['1'])
  await sql`update jobs set worker = null, lease_until = null where account_id = 'b'`.execute(
    database,
  )
  assert.deepEqual(await make(claim, 'b', '2'), [])
  assert.deepEqual(await make(claim, 'c', '1'), ['1'], 'others do not wait for that')
  await sql`insert into accounts (id, name) values ('d', 'd')`.execute(database)
  await sql`
    insert into account_holds (account_id, reason, until) values ('d', 'cost', 'infinity')`.execute(
    database,
  )
  assert.deepEqual(await make(claim, 'd', '1'), [], 'nor does an account that is held')
})

void it('an account with half of its limit in progress here claims nothing, others do', async () => {
  {
    using claim = await claimOf(2)
    claim.start(['1', '2'].map((runId) => fetched({ accountId: 'a', runId })))
  }
  ;(await claimOf(1, 'b'))[Symbol.dispose]()
  assert.equal(queue.claim(['a']).slots, 0)
  ends[0]?.resolve()
  ;(await claimOf(1, 'a'))[Symbol.dispose]()
})

void it('a slot that gets free goes to the jobs that wait, not to a new one', async () => {
  await make(noClaim, 'b', '1', '2', '3', '4', '5')
  queue.wake()
  await until('the process is full', 30_000, () => started.length === 3)
  ends[0]?.resolve()
  await until('the next begins', 30_000, () => {
    assert.equal(queue.claim(['a']).slots, 0)
    return started.length === 4
  })
})

void it('a process that stops claims nothing', async () => {
  ;(await claimOf(1))[Symbol.dispose]()
  await worker.drain(1_000)
  assert.equal(queue.claim(['a']).slots, 0)
})
