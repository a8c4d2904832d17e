import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { until } from '../../rig/until.ts'
import { databaseFixture, prepare } from '../../test/fixture.ts'
import { noCitus } from '../db/cluster/test-citus.ts'
import type { Notices } from '../db/notices.ts'
import { done, refused, type Outcome } from './outcome.ts'
import { outcomeColumns, settleRows, type WorkItem, type WorkTable } from './table.ts'
import { toSettlement, Worker, type Work } from './worker.ts'

/** A table of this test, which is not distributed. */
const skip = noCitus === false && 'the table of this test is on one server'
const database = databaseFixture(5)
const log = pino({ level: 'silent' })

const letters: WorkTable<WorkItem> = {
  name: 'letters',
  isOpen: sql`item.status = 'open'`,
  dueAt: 'due_at',
  leaseSeconds: 1,
  columns: sql`claimed.tries`,
  settled: { columns: outcomeColumns },
}

prepare(() =>
  sql`
    create table letters (
      account_id text, id text, status text default 'open', why text, tries int default 0,
      due_at timestamptz default now(), primary key (account_id, id))`.execute(database),
)
beforeEach(() => sql`truncate letters`.execute(database))

async function write(...ids: string[]): Promise<void> {
  await sql`insert into letters (account_id, id) select 'acc_1', unnest(${ids}::text[])`.execute(
    database,
  )
}

async function read(): Promise<Record<string, string>> {
  const { rows } = await sql<{ id: string; status: string }>`
    select id, status from letters order by id`.execute(database)
  return Object.fromEntries(rows.map(({ id, status }) => [id, status]))
}

function open(
  run: Work<WorkItem>['run'],
  others: Partial<Work<WorkItem>> = {},
): Worker<WorkItem, unknown> & { wake: () => void } {
  let wake = (): void => {}
  const notices = { on: (_: string, heard: () => void) => void (wake = heard) } as Notices
  const states = {
    later: 'open',
    refused: 'failed',
    certain: 'sent',
    done: () => ({ status: 'sent', why: null }),
  }
  const worker = new Worker(
    { database, log, notices },
    {
      what: 'a letter',
      table: letters,
      atOnce: 10,
      perAccount: 10,
      everyMs: 20,
      wakes: 'letters',
      run,
      settle: (settled) =>
        settleRows(
          database,
          letters,
          settled.map((one) => toSettlement(one, states)),
        ),
      ...others,
    },
  )
  return Object.assign(worker, { wake: () => wake() })
}

const isRead = (expected: Record<string, string>) =>
  until(JSON.stringify(expected), 5_000, async () => {
    return JSON.stringify(await read()) === JSON.stringify(expected)
  })

describe('a worker', { skip }, () => {
  it('records what became of each item, and tries those again that wait', async () => {
    const tries = new Map<string, number>()
    const run = async ({ id }: WorkItem): Promise<Outcome> => {
      const number = (tries.get(id) ?? 0) + 1
      tries.set(id, number)
      if (id === 'b') return refused('no address')
      if (id === 'c' && number < 3) return { kind: 'later', why: 'the post is shut', seconds: 0 }
      return done(undefined)
    }
    await write('a', 'b', 'c')
    await using _worker = open(run)
    await isRead({ a: 'sent', b: 'failed', c: 'sent' })
    assert.deepEqual(Object.fromEntries(tries), { a: 1, b: 1, c: 3 })
  })

  it('counts an error as a try, and works on the others meanwhile', async () => {
    await write('a', 'b')
    await using _worker = open(async ({ id }) => {
      if (id === 'a') throw new RangeError('too long')
      return done(undefined)
    })
    await isRead({ a: 'open', b: 'sent' })
    const { rows } = await sql`select why, tries from letters where id = 'a'`.execute(database)
    assert.deepEqual(rows, [{ why: 'It is tried again: an internal error (too long)', tries: 1 }])
  })

  it('renews the claim of an item that takes longer than its lease', async () => {
    await write('a')
    const { promise, resolve } = Promise.withResolvers<void>()
    let starts = 0
    const run = async (): Promise<Outcome> => {
      starts++
      await promise
      return done(undefined)
    }
    await using _one = open(run)
    await using _other = open(run)
    await until('it has begun', 5_000, async () => starts === 1)
    const expired = sql`select from letters where due_at <= now()`
    // Longer than the lease, during which nothing is claimed again.
    const startedAt = performance.now()
    while (performance.now() - startedAt < 1_500) {
      assert.equal((await expired.execute(database)).rows.length, 0)
      await new Promise((settle) => setTimeout(settle, 50))
    }
    resolve()
    await isRead({ a: 'sent' })
    assert.equal(starts, 1)
  })

  it('is woken by a notice', async () => {
    await using worker = open(async () => done(undefined), { everyMs: 600_000 })
    await worker.tick()
    await write('a')
    worker.wake()
    await isRead({ a: 'sent' })
  })

  it('claims nothing after it was stopped, and waits for what is in progress', async () => {
    await write('a')
    const { promise, resolve } = Promise.withResolvers<void>()
    let aborted = false
    const worker = open(async (_, signal) => {
      signal.addEventListener('abort', () => (aborted = true))
      await promise
      return done(undefined)
    })
    await until('it is claimed', 5_000, async () => (await countDue()) === 0)
    const stopped = worker[Symbol.asyncDispose]()
    await write('b')
    resolve()
    await stopped
    assert.deepEqual(await read(), { a: 'sent', b: 'open' })
    assert.ok(aborted)
  })
})

async function countDue(): Promise<number> {
  const { rows } = await sql`select from letters where due_at <= now()`.execute(database)
  return rows.length
}
