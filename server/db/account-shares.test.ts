import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import type pg from 'pg'
import { readConfig } from '../start/config.ts'
import { createSlots, rows, sizeOf } from '../start/limits.ts'
import { AccountShares } from './account-shares.ts'
import { createDatabase, createPool, type Database } from './client.ts'
import { createTestDatabase } from './test-database.ts'

/** Shares of a pool as a process has them, with another time to wait. */
function shareOf(pool: pg.Pool, connections: number, waitMs: number): AccountShares {
  const config = readConfig({ MUSTER_DATABASE_CONNECTIONS: String(connections) })
  const { slots, ...row } = rows.connections
  const sized = { ...row, slots: { ...sizeOf(slots, config), waitMs } }
  return new AccountShares(pool, createSlots(sized, config))
}

const answer = async (database: Database): Promise<unknown> =>
  (await sql`select 1 as one`.execute(database)).rows[0]
const untilUnlocked = sql`select pg_advisory_lock_shared(1)`

it('statements of one account leave connections to others and to what serves all', async () => {
  await using testDatabase = await createTestDatabase()
  await using elsewhere = createDatabase(createPool(testDatabase.url, 1))
  const pool = createPool(testDatabase.url, 4)
  await using all = createDatabase(pool)
  const shares = shareOf(pool, 4, 60_000)
  await sql`select pg_advisory_lock(1)`.execute(elsewhere)
  const waiting = Array.from({ length: 20 }, () => untilUnlocked.execute(shares.of('a')))

  assert.deepEqual(await answer(shares.of('b')), { one: 1 })
  assert.deepEqual(await answer(all), { one: 1 })
  await shares.of('b').transaction().execute(answer)
  assert.equal(pool.waitingCount, 0)

  await sql`select pg_advisory_unlock(1)`.execute(elsewhere)
  assert.equal((await Promise.all(waiting)).length, 20)
})

it('a statement that fails, or finds no server, gives its part back', async () => {
  await using testDatabase = await createTestDatabase()
  const pool = createPool(testDatabase.url, 1)
  const shares = shareOf(pool, 1, 60_000)
  await assert.rejects(sql`select 1 / 0`.execute(shares.of('a')))
  await assert.rejects(
    shares
      .of('a')
      .transaction()
      .execute((transaction) => sql`select 1 / 0`.execute(transaction)),
  )
  assert.deepEqual(await answer(shares.of('b')), { one: 1 })
  await pool.end()
  for (const account of ['a', 'b']) await assert.rejects(answer(shares.of(account)), /pool/)
})

it('an account waits no longer than it may for its own, and is told that it asks too much', async () => {
  await using testDatabase = await createTestDatabase()
  await using elsewhere = createDatabase(createPool(testDatabase.url, 1))
  await using pool = createPool(testDatabase.url, 3)
  const shares = shareOf(pool, 3, 1)
  await sql`select pg_advisory_lock(1)`.execute(elsewhere)
  const first = untilUnlocked.execute(shares.of('a'))
  await assert.rejects(answer(shares.of('a')), { code: 'rate_limited', retryAfterSeconds: 1 })
  // Not what this account has caused.
  await assert.rejects(answer(shares.of('b')), { code: 'too_busy' })
  await sql`select pg_advisory_unlock(1)`.execute(elsewhere)
  await first
})

it('what goes first does not wait for others of its account', async () => {
  await using testDatabase = await createTestDatabase()
  await using elsewhere = createDatabase(createPool(testDatabase.url, 1))
  await using pool = createPool(testDatabase.url, 3)
  const shares = shareOf(pool, 3, 60_000)
  await sql`select pg_advisory_lock(1)`.execute(elsewhere)
  const held = untilUnlocked.execute(shares.of('a'))
  const order: string[] = []
  const ask = async (name: string, isFirst: boolean): Promise<void> => {
    await answer(shares.of('a', { isFirst }))
    order.push(name)
  }
  const asked = [ask('list', false), ask('list', false), ask('answer', true)]
  await sql`select pg_advisory_unlock(1)`.execute(elsewhere)
  await Promise.all([held, ...asked])
  assert.deepEqual(order, ['answer', 'list', 'list'])
})

it('no account leaves anything behind', async () => {
  await using testDatabase = await createTestDatabase()
  await using pool = createPool(testDatabase.url, 1)
  const shares = shareOf(pool, 1, 60_000)
  const known: WeakRef<object>[] = []
  for (let n = 0; n < 100; n++) {
    const database = shares.of(`account ${n}`)
    assert.deepEqual(await answer(database), { one: 1 })
    known.push(new WeakRef(database))
  }
  assert.equal(shares.of('a').getExecutor().adapter, shares.of('b').getExecutor().adapter)
  await delay(0)
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  assert.ok(known.filter((one) => one.deref() !== undefined).length < 10)
})
