import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../../rig/until.ts'
import { Pool } from 'pg'
import { ConfigError } from '../config-error.ts'
import { migrate, splitStatements, type MigrateOptions } from './migrate.ts'
import { connect } from './cluster/test-citus.ts'
import { createPlainDatabase } from './test-database.ts'

const first = { '0001_first.sql': 'create table notes (id int primary key);' }
const second = {
  '0002_second.sql': 'alter table notes add text text;\ncreate index on notes (text);',
}

void test('the template of test databases is already migrated', async () => {
  await using database = await createPlainDatabase()
  await using pool = openPool(database.url)
  assert.deepEqual(await migrate(pool.pool), { applied: [] })
})

void test('files are applied once, in the order of their numbers, into the schema muster', async () => {
  await using scene = await makeScene({ ...second, ...first })
  assert.deepEqual(await scene.migrate(), { applied: ['0001_first.sql', '0002_second.sql'] })
  assert.deepEqual(await scene.migrate(), { applied: [] })
  assert.deepEqual(await scene.rows(`select schemaname from pg_tables where tablename = 'notes'`), [
    { schemaname: 'muster' },
  ])
  const recorded = await scene.rows('select * from muster.muster_migrations order by name')
  assert.equal(recorded.length, 2)
  assert.match(String(recorded[0]?.['checksum']), /^[0-9a-f]{64}$/)
  assert.ok(recorded[0]?.['applied_at'] instanceof Date)
})

void test('a later build applies only what is new', async () => {
  await using scene = await makeScene(first)
  await scene.migrate()
  await scene.write(second)
  assert.deepEqual(await scene.migrate(), { applied: ['0002_second.sql'] })
})

void test('a failing migration leaves nothing of itself and names file, line and cause', async () => {
  const broken = { '0002_broken.sql': 'create table half (id int);\ncreate tabel other (id int);' }
  await using scene = await makeScene({ ...first, ...broken })
  await assert.rejects(
    scene.migrate(),
    /^Error: Cannot apply migration 0002_broken\.sql line 2: syntax error at or near "tabel"/,
  )
  assert.deepEqual(await scene.rows(`select to_regclass('muster.half') as name`), [{ name: null }])
  assert.deepEqual(await scene.rows('select name from muster.muster_migrations'), [
    { name: '0001_first.sql' },
  ])
  await scene.write({ '0002_broken.sql': 'create table half (id int);' })
  assert.deepEqual(await scene.migrate(), { applied: ['0002_broken.sql'] })
})

void test('an applied migration that was changed is refused', async () => {
  await using scene = await makeScene(first)
  await scene.migrate()
  await scene.write({ '0001_first.sql': 'create table notes (id bigint primary key);', ...second })
  await assert.rejects(scene.migrate(), (error) => {
    assert.ok(error instanceof ConfigError)
    assert.match(error.message, /0001_first\.sql was changed after it was applied/)
    return true
  })
  assert.equal((await scene.rows('select name from muster.muster_migrations')).length, 1)
})

void test('other line ends are no change', async () => {
  await using scene = await makeScene(second)
  await scene.write(first)
  await scene.migrate()
  await scene.write({ '0002_second.sql': second['0002_second.sql'].replaceAll('\n', '\r\n') })
  assert.deepEqual(await scene.migrate(), { applied: [] })
})

void test('a database of a newer Muster that this build cannot read is refused', async () => {
  await using scene = await makeScene({ ...first, ...second })
  await scene.migrate()
  await rm(join(scene.folder, '0002_second.sql'))
  await assert.rejects(scene.migrate(), (error) => {
    assert.ok(error instanceof ConfigError)
    assert.match(error.message, /it has 0002_second\.sql, .* newer Muster .* upgrade this one/)
    return true
  })
})

void test('an older build starts on a newer schema that it can read', async () => {
  const third = { '0003_third.sql': '-- Readable from 0002\nalter table notes add author text;' }
  await using scene = await makeScene({ ...first, ...second, ...third })
  await scene.migrate()
  await rm(join(scene.folder, '0003_third.sql'))
  assert.deepEqual(await scene.migrate(), { applied: [] })
  await rm(join(scene.folder, '0002_second.sql'))
  await assert.rejects(scene.migrate(), /it has 0002_second\.sql, 0003_third\.sql, /)
})

void test('processes that migrate at once wait for each other and all succeed', async () => {
  const slow = { '0003_slow.sql': 'select pg_sleep(0.1); create table slow (id int);' }
  await using scene = await makeScene({ ...first, ...second, ...slow })
  const results = await Promise.all([scene.migrate(), scene.migrate(), scene.migrate()])
  assert.deepEqual(results.flatMap(({ applied }) => applied).sort(), [
    '0001_first.sql',
    '0002_second.sql',
    '0003_slow.sql',
  ])
})

void test('a migration that waits for a reader does not hold writers up', async () => {
  await using scene = await makeScene(first)
  await scene.migrate()
  await scene.write(second)
  await using reader = await connect(scene.url)
  await reader.query('begin; lock table muster.notes in access share mode')
  const migrating = scene.migrate({ lockMs: 50, pauseMs: 50, totalMs: 60_000 })
  const untilItWaits = () =>
    until(
      'the migration waits',
      20_000,
      async () => {
        return (await scene.rows('select 1 from pg_locks where not granted')).length > 0
      },
      1,
    )
  await untilItWaits()
  await using writer = await connect(scene.url)
  await writer.query(`set statement_timeout = '10s'`)
  for (const id of [1, 2, 3]) {
    await untilItWaits()
    await writer.query('insert into muster.notes (id) values ($1)', [id])
  }
  await reader.query('commit')
  assert.deepEqual(await migrating, { applied: ['0002_second.sql'] })
})

void test('a migration gives up when it never gets its lock', async () => {
  await using scene = await makeScene(first)
  await scene.migrate()
  await scene.write(second)
  await using reader = await connect(scene.url)
  await reader.query('begin; lock table muster.notes in access share mode')
  await assert.rejects(
    scene.migrate({ lockMs: 20, pauseMs: 10, totalMs: 100 }),
    /^Error: Cannot migrate the database: others kept it locked \(.*0002_second.*lock timeout\)/,
  )
  await reader.query('commit')
  assert.deepEqual(await scene.migrate(), { applied: ['0002_second.sql'] })
})

void test('the connection goes back to the pool as it was', async () => {
  await using scene = await makeScene(first)
  await scene.migrate()
  assert.deepEqual(await scene.rows('show search_path'), [{ search_path: '"$user", public' }])
  assert.deepEqual(
    await scene.rows(`select count(*)::int as locks from pg_locks join pg_database on oid = database
       where locktype = 'advisory' and datname = current_database()`),
    [{ locks: 0 }],
  )
})

void test('a role that may not make schemas uses the one made for it', async () => {
  await using scene = await makeScene(first)
  await scene.rows(`create schema muster`)
  const role = `role_${process.pid}_${Date.now()}`
  await scene.rows(`create role ${role} login; grant all on schema muster to ${role}`)
  const url = new URL(scene.url)
  url.username = role
  await using pool = openPool(url.href)
  const { folder } = scene
  assert.deepEqual(await migrate(pool.pool, { folder }), { applied: ['0001_first.sql'] })
  await scene.rows(`drop owned by ${role}; drop role ${role}`)
})

void test('a server older than PostgreSQL 15 is refused', async () => {
  const old = {
    connect: async () => ({
      query: async () => ({ rows: [{ number: '140012', version: '14.12' }] }),
      release() {},
    }),
  }
  await assert.rejects(migrate(old as unknown as Pool), /it is PostgreSQL 14\.12, .* 15 or newer/)
})

void test('misnamed files and numbers used twice are refused', async () => {
  await using scene = await makeScene({ ...first, '0001_other.sql': 'select 1' })
  await assert.rejects(scene.migrate(), /0001_first\.sql and 0001_other\.sql share a number/)
  await scene.write({ 'notes.sql': '' })
  await assert.rejects(scene.migrate(), /notes\.sql is not named NNNN_name\.sql|share a number/)
})

interface Scene extends AsyncDisposable {
  folder: string
  url: string
  migrate(patience?: MigrateOptions['patience']): ReturnType<typeof migrate>
  write(files: Record<string, string>): Promise<void>
  rows(sql: string): Promise<Record<string, unknown>[]>
}

/** Makes an empty database and a folder with these migrations. */
async function makeScene(files: Record<string, string>): Promise<Scene> {
  const database = await createPlainDatabase()
  const pool = openPool(database.url)
  const folder = await mkdtemp(join(tmpdir(), 'muster-migrations-'))
  const write = async (files: Record<string, string>): Promise<void> => {
    for (const [name, sql] of Object.entries(files)) await writeFile(join(folder, name), sql)
  }
  await pool.pool.query('drop schema if exists muster cascade')
  await write(files)
  return {
    folder,
    url: database.url,
    migrate: async (patience) =>
      await migrate(pool.pool, { folder, ...(patience && { patience }) }),
    write,
    rows: async (sql) => (await pool.pool.query<Record<string, unknown>>(sql)).rows,
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

function openPool(url: string): AsyncDisposable & { pool: Pool } {
  const pool = new Pool({ connectionString: url })
  return { pool, [Symbol.asyncDispose]: async () => await pool.end() }
}

void test('the text of a file is taken apart into its statements', () => {
  const body = 'create function f() returns int language sql as $$\n  select 1;\n$$;'
  const text = `-- Readable from 0012\n\ncreate table a (\n  -- A column; of a kind.\n  b int -- c;d\n);\n${body}\nselect 1`
  assert.deepEqual(splitStatements(text), [
    'create table a (\n  b int -- c;d\n);',
    body,
    'select 1',
  ])
})
