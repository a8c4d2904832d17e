import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { databaseFixture, prepare } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'
import { noCitus } from '../db/cluster/test-citus.ts'
import { claimOf, outcomeColumns, renewClaims, settleRows, type WorkTable } from './table.ts'

/** A table of this test, which is not distributed. */
const skip = noCitus === false && 'the table of this test is on one server'
const database = databaseFixture(5)

interface Parcel {
  accountId: string
  id: string
  lane: string
  tries: number
}

const parcels: WorkTable<Parcel> = {
  name: 'parcels',
  isOpen: sql`item.status = 'open'`,
  dueAt: 'due_at',
  leaseSeconds: 30,
  columns: sql`claimed.tries`,
  settled: { columns: outcomeColumns, at: 'settled_at' },
}
const byRoad = { ...parcels, lane: { column: 'road', atOnce: 2 } }
const inOrder: WorkTable<Parcel> = {
  ...parcels,
  lane: { column: 'road', atOnce: 1, isOrdered: true },
  order: ['number'],
}
const withLease = { ...parcels, claimedUntil: 'claimed_until' }

prepare(() =>
  sql`
    create table parcels (
      account_id text, id text, road text, number int, status text default 'open', why text, tries int default 0,
      due_at timestamptz default now(), claimed_until timestamptz, settled_at timestamptz,
      primary key (account_id, id))`.execute(database),
)
beforeEach(() => sql`truncate parcels, accounts cascade`.execute(database))

/** Parcels of each account, alternately on two roads. */
async function fill(counts: Record<string, number>): Promise<void> {
  for (const [account, count] of Object.entries(counts)) {
    await sql`insert into accounts (id, name) values (${account}, 'a')`.execute(database)
    await sql`
      insert into parcels (account_id, id, road, number, due_at)
      select ${account}, ${account} || '_' || lpad(n::text, 5, '0'), 'road_' || n % 2, n,
             now() - interval '1 hour' + n * interval '1 ms'
      from generate_series(1, ${count}::int) as n`.execute(database)
  }
}

const limits = { count: 100, perAccount: 100, busy: [] }

async function claim(table: WorkTable<Parcel> = parcels, given: Partial<typeof limits> = {}) {
  return (await claimOf(table)(database, { ...limits, ...given }, '')).items
}

const count = (items: Parcel[], account: string): number =>
  items.filter(({ accountId }) => accountId === account).length

describe('a claim', { skip }, () => {
  it('takes turns among accounts, however many rows one has and however old they are', async () => {
    await fill({ acc_1: 5_000, acc_2: 3, acc_3: 30 })
    const items = await claim(parcels, { count: 43 })
    assert.deepEqual(
      ['acc_1', 'acc_2', 'acc_3'].map((account) => count(items, account)),
      [20, 3, 20],
    )
  })

  it('leaves what is claimed until its lease is over', async () => {
    for (const table of [parcels, withLease]) {
      await sql`truncate parcels, accounts cascade`.execute(database)
      await fill({ acc_1: 3 })
      assert.equal((await claim(table)).length, 3)
      assert.equal((await claim(table)).length, 0)
      await sql`
        update parcels
        set due_at = due_at - interval '1 hour', claimed_until = claimed_until - interval '1 hour'
        where number = 2`.execute(database)
      assert.deepEqual(pluck(await claim(table), 'id'), ['acc_1_00002'])
    }
  })

  it('gives each row to one of several that claim at once', async () => {
    await fill({ acc_1: 40, acc_2: 40 })
    const all = await Promise.all(Array.from({ length: 5 }, () => claim(parcels, { count: 20 })))
    const ids = all.flat().map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    assert.ok(ids.length >= 20)
  })

  it('counts what a process has in progress against the limits of accounts and lanes', async () => {
    await fill({ acc_1: 20 })
    const busy = [{ accountId: 'acc_1', lane: 'road_1', count: 1 }]
    const items = await claim(byRoad, { busy: busy as never })
    assert.deepEqual(pluck(items, 'lane').toSorted(), ['road_0', 'road_0', 'road_1'])
    assert.equal((await claim(parcels, { perAccount: 4, busy: busy as never })).length, 3)
  })

  it('takes the first of an ordered lane only while no other is in progress or waits', async () => {
    await fill({ acc_1: 6 })
    assert.deepEqual(pluck(await claim(inOrder), 'id').toSorted(), ['acc_1_00001', 'acc_1_00002'])
    assert.deepEqual(await claim(inOrder), [])
    const settled = { accountId: 'acc_1', isCertain: false, waitSeconds: null }
    const values = { status: 'done', why: null, tries: 0 }
    await settleRows(database, inOrder, [{ ...settled, id: 'acc_1_00001', values }])
    assert.deepEqual(pluck(await claim(inOrder), 'id'), ['acc_1_00003'])
  })

  it('reads 500 lanes, and goes on behind them', async () => {
    await sql`
      insert into parcels (account_id, id, road)
      select 'acc_' || lpad(n::text, 4, '0'), 'p', 'road' from generate_series(1, 600) as n`.execute(
      database,
    )
    const take = claimOf(byRoad)
    const first = await take(database, { ...limits, count: 1_000 }, '')
    assert.deepEqual([first.items.length, first.next], [500, 'acc_0500 road'])
    const second = await take(database, { ...limits, count: 1_000 }, first.next)
    assert.deepEqual([second.items.length, second.next], [100, ''])
  })

  it('leaves rows of accounts that are not served', async () => {
    await fill({ acc_1: 1, acc_2: 1, acc_3: 1 })
    await sql`
      insert into account_holds (account_id, reason, until)
      values ('acc_1', 'suspended', 'infinity'), ('acc_3', 'cost', 'infinity')`.execute(database)
    assert.deepEqual(pluck(await claim(), 'accountId').toSorted(), ['acc_2', 'acc_3'])
    const everybody = { ...parcels, isServed: sql<boolean>`true` }
    assert.deepEqual(pluck(await claim(everybody), 'accountId'), ['acc_1'])
  })

  it('takes nothing in an unreleased copy of the database', async () => {
    await fill({ acc_1: 1 })
    await sql`
      insert into epochs (number, reason, in_doubt, deliveries_held) values (1, 'copied', true, true)`.execute(
      database,
    )
    assert.deepEqual(await claim(), [])
    await sql`update epochs set deliveries_held = false`.execute(database)
    assert.equal((await claim()).length, 1)
    await sql`delete from epochs`.execute(database)
  })
})

describe('a renewal', { skip }, () => {
  it('keeps claims that go on, claims nothing, and waits for no lock', async () => {
    await fill({ acc_1: 4 })
    const items = await claim(withLease)
    await sql`
      update parcels set claimed_until = case when number = 1 then null else now() + interval '1 second' end`.execute(
      database,
    )
    await database.transaction().execute(async (transaction) => {
      await sql`select from parcels where number = 2 for update`.execute(transaction)
      await renewClaims(database, withLease, items)
    })
    const { rows } = await sql<{ number: number; seconds: number | null }>`
      select number, round(extract(epoch from claimed_until - now()))::int as seconds from parcels order by number`.execute(
      database,
    )
    assert.deepEqual(
      rows.map(({ seconds }) => seconds !== null && seconds > 20),
      [false, false, true, true],
    )
  })
})

describe('a settlement', { skip }, () => {
  const base = { accountId: 'acc_1', id: 'acc_1_00001', isCertain: false, waitSeconds: null }
  const values = { status: 'done', why: 'because', tries: 1 }
  const read = async () =>
    (
      await sql<{ status: string; why: string | null; tries: number; isSettled: boolean }>`
        select status, why, tries, settled_at is not null as "isSettled" from parcels`.execute(
        database,
      )
    ).rows[0]

  it('records the outcome once', async () => {
    await fill({ acc_1: 1 })
    await settleRows(database, parcels, [{ ...base, values }])
    assert.deepEqual(await read(), { ...values, isSettled: true })
    await settleRows(database, parcels, [{ ...base, values: { ...values, status: 'failed' } }])
    assert.equal((await read())?.status, 'done')
    const sent = { ...values, status: 'sent' }
    await settleRows(database, parcels, [{ ...base, isCertain: true, values: sent }])
    assert.equal((await read())?.status, 'sent')
  })

  it('makes a row that waits due again', async () => {
    await fill({ acc_1: 1 })
    await claim()
    const waits = { status: 'open', why: 'a pause', tries: 0 }
    await settleRows(database, parcels, [{ ...base, waitSeconds: 0, values: waits }])
    assert.deepEqual(await read(), { ...waits, isSettled: false })
    assert.equal((await claim()).length, 1)
  })

  it('leaves a row that is about something else now', async () => {
    await fill({ acc_1: 1 })
    const table = {
      ...parcels,
      settled: { columns: { ...outcomeColumns, road: 'text' }, same: ['road'] },
    }
    await settleRows(database, table, [{ ...base, values: { ...values, road: 'road_0' } }])
    assert.equal((await read())?.status, 'open')
    await settleRows(database, table, [{ ...base, values: { ...values, road: 'road_1' } }])
    assert.equal((await read())?.status, 'done')
  })
})
