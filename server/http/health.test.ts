import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fastify from 'fastify'
import { sql } from 'kysely'
import { startDatabaseProxy } from '../../test/chaos/database-proxy.ts'
import { until } from '../../rig/until.ts'
import { createDatabase, createPool } from '../db/client.ts'
import { createPlainDatabase } from '../db/test-database.ts'
import { sendError } from './errors.ts'
import { addHealth } from './health.ts'

function ask(url: string, clock?: { nowMs: number }) {
  const pool = createPool(url, 2)
  const database = createDatabase(pool)
  const app = fastify()
  app.setErrorHandler(sendError)
  addHealth(app, { database, feed: { closed: false } as never }, clock && (() => clock.nowMs))
  return {
    database,
    pool,
    ready: async () => {
      const answer = await app.inject('/readyz')
      const { error } = answer.json<{ error?: { message: string } }>()
      return { status: answer.statusCode, message: error?.message, headers: answer.headers }
    },
    [Symbol.asyncDispose]: async () => {
      await app.close()
      await database.destroy()
    },
  }
}

/** Changes a setting of the database for new connections. */
async function set(databaseUrl: string, setting: string): Promise<void> {
  await using testDatabase = await createPlainDatabase()
  await using elsewhere = createDatabase(createPool(testDatabase.url, 1))
  const name = new URL(databaseUrl).pathname.slice(1)
  await sql.raw(`alter database "${name}" ${setting}`).execute(elsewhere)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`.execute(
    elsewhere,
  )
}

describe('readiness', () => {
  it('is lost while the database takes no writes, and comes back by itself', async () => {
    await using testDatabase = await createPlainDatabase()
    await using muster = ask(testDatabase.url)
    assert.equal((await muster.ready()).status, 200)
    await set(testDatabase.url, 'set default_transaction_read_only = on')
    await until('it is not ready', 20_000, async () => {
      const { status, message, headers } = await muster.ready()
      if (!message?.endsWith('the database takes no writes now')) return false
      assert.deepEqual([status, headers['retry-after']], [503, '2'])
      return true
    })
    assert.equal((await sql`select 1`.execute(muster.database)).rows.length, 1)
    await set(testDatabase.url, 'reset default_transaction_read_only')
    await until('it is ready', 20_000, async () => (await muster.ready()).status === 200)
  })

  it('needs room on the disk', async () => {
    await using testDatabase = await createPlainDatabase()
    // Stands for a full disk, which a test cannot produce.
    await set(testDatabase.url, `set temp_file_limit = '8kB'`)
    await using muster = ask(testDatabase.url)
    assert.equal((await muster.ready()).status, 503)
  })

  it('is answered in time when the database is silent, by one look for all who ask', async () => {
    await using testDatabase = await createPlainDatabase()
    await using proxy = await startDatabaseProxy(testDatabase.url)
    const clock = { nowMs: 0 }
    await using muster = ask(proxy.url, clock)
    assert.equal((await muster.ready()).status, 200)
    let looks = 0
    muster.pool.on('acquire', () => looks++)
    const answers = await Promise.all(Array.from({ length: 50 }, () => muster.ready()))
    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal(looks, 0, 'within a second of the first look')

    proxy.stall(60_000)
    clock.nowMs += 1_001
    const beganAt = performance.now()
    const { status, message } = await muster.ready()
    // Connecting alone would take 35 s to time out.
    assert.ok(performance.now() - beganAt < 20_000)
    assert.deepEqual([status, message], [503, 'Cannot take requests: the database does not answer'])
    await Promise.all(Array.from({ length: 20 }, () => muster.ready()))
    assert.equal(looks, 1)
    proxy.heal()
    await until('it is ready', 20_000, async () => {
      clock.nowMs += 1_001
      return (await muster.ready()).status === 200
    })
  })
})
