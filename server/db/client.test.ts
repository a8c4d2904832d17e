import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { startDatabaseProxy } from '../../test/chaos/database-proxy.ts'
import { createDatabase, createPool } from './client.ts'
import { createTestDatabase } from './test-database.ts'

describe('a connection that breaks', () => {
  it('between two statements of a transaction fails that transaction, and nothing else', async () => {
    await using testDatabase = await createTestDatabase()
    const pool = createPool(testDatabase.url, 2)
    const database = createDatabase(pool)
    const { promise: isBroken, resolve } = Promise.withResolvers<void>()
    // After the listeners of the pool.
    pool.on('connect', (client) => client.once('end', resolve))
    const work = database.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(
        transaction,
      )
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database)
      await isBroken
      await sql`select 1`.execute(transaction)
    })
    await assert.rejects(work)
    assert.equal((await sql`select 1`.execute(database)).rows.length, 1)
    await database.destroy()
  })
})

describe('a connection that goes silent', () => {
  it('fails its statement in time and is replaced', async () => {
    await using testDatabase = await createTestDatabase()
    await using proxy = await startDatabaseProxy(testDatabase.url)
    const database = createDatabase(createPool(proxy.url, 1, { answerMs: 200 }))
    const readPid = sql<{ pid: number }>`select pg_backend_pid() as pid`
    const [before] = (await readPid.execute(database)).rows
    proxy.stall(10_000)
    await assert.rejects(readPid.execute(database), { code: 'ETIMEDOUT' })
    proxy.heal()
    const [after] = (await readPid.execute(database)).rows
    assert.notEqual(after?.pid, before?.pid)

    proxy.stall(10_000)
    const work = database.transaction().execute((transaction) => readPid.execute(transaction))
    await assert.rejects(work, { code: 'ETIMEDOUT' })
    proxy.heal()
    await database.transaction().execute((transaction) => readPid.execute(transaction))
    await database.destroy()
  })

  it('fails in the middle of a transaction without a second wait', async () => {
    await using testDatabase = await createTestDatabase()
    await using proxy = await startDatabaseProxy(testDatabase.url)
    const database = createDatabase(createPool(proxy.url, 1, { answerMs: 2_000 }))
    let silentAt = 0
    const work = database.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction)
      proxy.stall(10_000)
      silentAt = performance.now()
      await sql`select 1`.execute(transaction)
    })
    await assert.rejects(work, /not queryable/)
    assert.ok(performance.now() - silentAt < 3_900)
    await database.destroy()
  })
})

describe('a process that stands still', () => {
  it('loses its transaction, so that others go on', async () => {
    await using testDatabase = await createTestDatabase()
    const database = createDatabase(createPool(testDatabase.url, 2, { idleInTransactionMs: 200 }))
    const takeLock = sql`select pg_advisory_xact_lock(1)`
    let haveOthersGoneOn = false
    const work = database.transaction().execute(async (transaction) => {
      await takeLock.execute(transaction)
      await takeLock.execute(database)
      haveOthersGoneOn = true
      await sql`select 1`.execute(transaction)
    })
    await assert.rejects(work, /terminat|queryable|idle-in-transaction/)
    assert.ok(haveOthersGoneOn)
    await database.destroy()
  })

  it('is waited for ten seconds', async () => {
    await using testDatabase = await createTestDatabase()
    const database = createDatabase(createPool(testDatabase.url, 1))
    const { rows } = await sql`show idle_in_transaction_session_timeout`.execute(database)
    assert.deepEqual(rows, [{ idle_in_transaction_session_timeout: '10s' }])
    await database.destroy()
  })
})
