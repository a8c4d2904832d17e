import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg, { type Pool } from 'pg'
import { createPool } from './client.ts'
import { findSessionFault } from './session-fault.ts'
import { createTestDatabase } from './test-database.ts'

it('finds nothing on PostgreSQL itself', async () => {
  await using testDatabase = await createTestDatabase()
  await using pool = createPool(testDatabase.url, 3)
  assert.equal(await findSessionFault(pool), undefined)
})

it('names the settings that a pooler drops', async () => {
  await using testDatabase = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: testDatabase.url, max: 3 })
  assert.match((await findSessionFault(pool)) ?? '', /alter role … set search_path = 'muster'/)
  await pool.end()
})

it('tells a pooler in transaction mode by a setting that does not stay', async () => {
  await using testDatabase = await createTestDatabase()
  await using servers = createPool(testDatabase.url, 3)
  assert.match((await findSessionFault(inTransactionMode(servers))) ?? '', /in transaction mode/)
})

/**
 * Behaves like PgBouncer in transaction mode: a client keeps a server for one transaction, and a
 * statement outside of one may get any server.
 */
function inTransactionMode(servers: pg.Pool): Pick<Pool, 'connect'> {
  const connect = async () => {
    let held: pg.PoolClient | undefined
    return {
      query: async (text: string, values?: unknown[]) => {
        const server = held ?? (await servers.connect())
        try {
          return await server.query(text, values)
        } finally {
          if (text === 'begin') held = server
          if (held === undefined) server.release()
        }
      },
      release: () => held?.release(true),
    }
  }
  return { connect } as never
}
