import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { until } from '../../rig/until.ts'
import { startDatabaseProxy } from '../../test/chaos/database-proxy.ts'
import { createDatabase, createPool, createPools, type Database } from './client.ts'
import { logFailure } from './outage.ts'
import { createPlainDatabase } from './test-database.ts'

describe('a connection that breaks', () => {
  it('between two statements of a transaction fails that transaction, and nothing else', async () => {
    await using testDatabase = await createPlainDatabase()
    const pool = createPool(testDatabase.url, 2)
    await using database = createDatabase(pool)
    const { promise: isBroken, resolve } = Promise.withResolvers<void>()
    // Resolves after the pool's own listeners have run.
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
  })
})

describe('a connection that goes silent', () => {
  it('fails its statement in time and is replaced', async () => {
    await using testDatabase = await createPlainDatabase()
    await using proxy = await startDatabaseProxy(testDatabase.url)
    await using database = createDatabase(createPool(proxy.url, 1, { answerMs: 200 }))
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
  })

  it('fails in the middle of a transaction without a second wait', async () => {
    await using testDatabase = await createPlainDatabase()
    await using proxy = await startDatabaseProxy(testDatabase.url)
    await using database = createDatabase(createPool(proxy.url, 1, { answerMs: 2_000 }))
    let failedAt = 0
    const work = database.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction)
      proxy.stall(10_000)
      const silent = sql`select 1`.execute(transaction)
      await silent.finally(() => (failedAt = performance.now()))
    })
    await assert.rejects(work, /not queryable/)
    assert.ok(performance.now() - failedAt < 1_900)
  })
})

describe('a process that stands still', () => {
  it('loses its transaction, so that others go on', async () => {
    await using testDatabase = await createPlainDatabase()
    await using database = createDatabase(
      createPool(testDatabase.url, 2, { idleInTransactionMs: 200 }),
    )
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
  })

  it('is waited for ten seconds', async () => {
    await using testDatabase = await createPlainDatabase()
    await using database = createDatabase(createPool(testDatabase.url, 1))
    const { rows } = await sql`show idle_in_transaction_session_timeout`.execute(database)
    assert.deepEqual(rows, [{ idle_in_transaction_session_timeout: '10s' }])
  })
})

describe('a connection whose transaction has not ended', () => {
  const texts = {
    'failed in the middle of a text': 'begin; select 1 / 0; commit',
    'failed alone': 'begin; select 1; select nothing',
    'is open': 'begin; select pg_advisory_xact_lock(7)',
  }
  for (const [how, text] of Object.entries(texts)) {
    it(`is closed: its transaction ${how}`, async () => {
      await using testDatabase = await createPlainDatabase()
      await using database = createDatabase(createPool(testDatabase.url, 1))
      const readState = sql<{ pid: number; locks: number }>`
        select pg_backend_pid() as pid,
               (select count(*) from pg_locks where locktype = 'advisory' and objid = 7) as locks`
      const [before] = (await readState.execute(database)).rows
      await sql
        .raw(text)
        .execute(database)
        .catch(() => {})
      const readNow = async () => (await readState.execute(database)).rows[0]
      assert.notEqual((await readNow())?.pid, before?.pid)
      // The server notices the closed connection a moment later.
      await until('its locks are free', 10_000, async () => (await readNow())?.locks === 0)
    })
  }

  it('is kept when a statement outside of a transaction fails', async () => {
    await using testDatabase = await createPlainDatabase()
    await using database = createDatabase(createPool(testDatabase.url, 1, { statementMs: 50 }))
    const readPid = sql<{ pid: number }>`select pg_backend_pid() as pid`
    const [before] = (await readPid.execute(database)).rows
    await assert.rejects(sql`select 1 / 0`.execute(database), { code: '22012' })
    await assert.rejects(sql`select pg_sleep(60)`.execute(database), { code: '57014' })
    const work = database.transaction().execute((transaction) => sql`nonsense`.execute(transaction))
    await assert.rejects(work, { code: '42601' })
    const [after] = (await readPid.execute(database)).rows
    assert.equal(after?.pid, before?.pid)
  })
})

describe('the settings of a connection', () => {
  const readSettings = sql<Record<string, string>>`
    select current_setting('datestyle') as datestyle, current_setting('timezone') as timezone,
           current_setting('default_transaction_isolation') as isolation,
           current_setting('synchronous_commit') as commit,
           current_setting('statement_timeout') as statement, current_schema as schema`
  const ours = {
    datestyle: 'ISO, MDY',
    timezone: 'UTC',
    isolation: 'read committed',
    commit: 'on',
    statement: '30s',
    schema: 'muster',
  }

  it('are ours, whatever the database and the role say', async () => {
    await using testDatabase = await createPlainDatabase()
    const setUp = createDatabase(createPool(testDatabase.url, 1))
    const name = new URL(testDatabase.url).pathname.slice(1)
    for (const setting of [
      `datestyle = 'German'`,
      `timezone = 'Asia/Kolkata'`,
      `default_transaction_isolation = 'serializable'`,
      `synchronous_commit = 'off'`,
      `search_path = 'public'`,
    ]) {
      await sql.raw(`alter database "${name}" set ${setting}`).execute(setUp)
    }
    await setUp.destroy()
    await using database = createDatabase(createPool(testDatabase.url, 1))
    assert.deepEqual((await readSettings.execute(database)).rows, [ours])
    const { rows } = await sql<{ at: Date }>`
      select timestamptz '2026-02-01 00:00:00+00' as at`.execute(database)
    assert.equal(rows[0]?.at.toISOString(), '2026-02-01T00:00:00.000Z')
  })

  it('let the URL choose how commits wait, and nothing that statements rely on', async () => {
    await using testDatabase = await createPlainDatabase()
    const url = new URL(testDatabase.url)
    url.searchParams.set('options', '-c synchronous_commit=remote_apply -c timezone=Asia/Kolkata')
    await using database = createDatabase(createPool(url.href, 1))
    const { rows } = await readSettings.execute(database)
    assert.deepEqual(rows, [{ ...ours, commit: 'remote_apply' }])
  })
})

describe('the pools of a process', () => {
  it('do not wait for each other', async () => {
    await using testDatabase = await createPlainDatabase()
    await using pools = createPools(testDatabase.url, { database: 1, reads: 1 })
    const isWaiting = sql<{ count: number }>`
      select count(*) from pg_locks where locktype = 'advisory' and not granted`
    await pools.database.transaction().execute(async (transaction) => {
      const lock = sql`select pg_advisory_xact_lock(1)`
      await lock.execute(transaction)
      const busy = Array.from({ length: 3 }, () => lock.execute(pools.reads))
      await until('one waits', 20_000, async () => {
        return (await isWaiting.execute(pools.supervision)).rows[0]?.count === 1
      })
      await sql`select 1`.execute(transaction)
      await sql`select 1`.execute(pools.background)
      void Promise.all(busy)
    })
    await sql`select 1`.execute(pools.reads)
  })

  it('sign their notices alike, as one process', async () => {
    await using testDatabase = await createPlainDatabase()
    await using pools = createPools(testDatabase.url)
    const names = await Promise.all(
      [pools.database, pools.reads, pools.supervision, pools.background].map(async (database) => {
        const { rows } = await sql`select current_setting('muster.pool') as name`.execute(database)
        return JSON.stringify(rows)
      }),
    )
    assert.equal(new Set(names).size, 1)
  })
})

describe('a row that the database refuses', () => {
  it('is not in what is logged of its failure', async () => {
    await using testDatabase = await createPlainDatabase()
    const database = createDatabase(createPool(testDatabase.url, 1))
    await sql`create table notes (id text primary key, content text check (content <> 'bad'), data json)`.execute(
      database,
    )
    const lines: string[] = []
    const log = pino({}, { write: (line) => void lines.push(line) })
    const failing = [
      sql`insert into notes values (${'the prompt'}, ${'bad'})`,
      sql`insert into notes values (${'the prompt'}), (${'the prompt'})`,
      sql`insert into notes values ('1', null, ${'["the prompt", the prompt]'}::json)`,
    ]
    for (const statement of failing) {
      await statement.execute(database).catch((error: unknown) => logFailure(log, error, 'failed'))
    }
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).err.code),
      ['23514', '23505', '22P02'],
    )
    assert.match(lines[0] ?? '', /notes_content_check/)
    assert.doesNotMatch(lines.join(''), /the prompt/)
    await database.destroy()
  })
})

describe('connections that the server ends', () => {
  it('are all replaced', async () => {
    await using testDatabase = await createPlainDatabase()
    await using other = await createPlainDatabase()
    await using database = createDatabase(createPool(testDatabase.url, 4))
    await using stranger = createDatabase(createPool(other.url, 1))
    const name = new URL(testDatabase.url).pathname.slice(1)
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 4 }, () => sql`select 1`.execute(database)))
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
                where datname = ${name}`.execute(stranger)
      const areGone = async () => (await countSessions(stranger, name)) === 0
      await until('the sessions are gone', 20_000, areGone, 1)
      // A connection of the pool may not have noticed yet that it is gone.
      const answers = async () => Boolean(await sql`select 1`.execute(database).catch(() => false))
      await until('the database answers', 20_000, answers, 1)
    }
  })
})

async function countSessions(database: Database, name: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity where datname = ${name}`.execute(database)
  return rows[0]?.count ?? 0
}
