import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
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
