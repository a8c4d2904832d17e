import { cp, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Pool } from 'pg'
import type { Run } from '../../sdk/generated.ts'
import { migrate } from '../../server/db/migrate.ts'
import { connect } from '../../server/db/cluster/test-citus.ts'

/**
 * The database of a released version, as a file: its migrations, and every row as JSON. The schema
 * is not stored, because released migrations never change, and their checksums are rows too.
 */
export interface Stored {
  version: string
  /** Admin key of the account. */
  key: string
  webhook: { id: string; secret: string }
  /** All runs, as the API showed them. */
  runs: Run[]
  tables: { name: string; rows: string }[]
}

const migrations = join(import.meta.dirname, '../../server/db/migrations')

export async function storeDatabase(
  url: string,
  file: string,
  about: Omit<Stored, 'tables'>,
): Promise<void> {
  await using client = await connect(url)
  await client.query('begin isolation level repeatable read')
  const tables: Stored['tables'] = []
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'muster' order by 1`,
  )
  for (const { name } of rows) {
    const found = await client.query<{ rows: string | null }>(
      `select json_agg(row)::text as rows from muster.${name} as row`,
    )
    tables.push({ name, rows: found.rows[0]?.rows ?? '[]' })
  }
  await client.query('commit')
  await writeFile(file, gzipSync(JSON.stringify({ ...about, tables }), { level: 9 }))
}

/**
 * Moves all times so that it seems to have been stored this minute; otherwise its waits would be
 * over a day after the release, and its data would eventually be deleted.
 */
export async function readStored(file: string): Promise<Stored> {
  const text = gunzipSync(await readFile(file)).toString()
  const { runs } = JSON.parse(text) as Stored
  const storedMs = Math.max(...runs.map(({ created_at }) => Date.parse(created_at)))
  const laterSeconds = Math.floor((Date.now() - storedMs) / 1_000)
  const moved = text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=[.\d]*(Z|\+00:00))/g, (time) =>
    new Date(Date.parse(`${time}Z`) + laterSeconds * 1_000).toISOString().slice(0, 19),
  )
  return JSON.parse(moved) as Stored
}

/** Replaces the database's contents by the schema and rows of that version. */
export async function restoreDatabase(url: string, { tables }: Stored): Promise<void> {
  await using client = await connect(url)
  await client.query('drop schema if exists muster cascade')
  const applied = tables.find(({ name }) => name === 'muster_migrations')?.rows ?? '[]'
  const names = (JSON.parse(applied) as { name: string }[]).map(({ name }) => name)
  await using folder = await mkdtempDisposable(join(tmpdir(), 'muster-migrations-'))
  await using pool = Object.assign(new Pool({ connectionString: url, max: 1 }), {
    [Symbol.asyncDispose]: () => pool.end(),
  })
  for (const name of names) await cp(join(migrations, name), join(folder.path, name))
  await migrate(pool, { folder: folder.path })
  // Foreign keys are not checked, because rows come in any order.
  await client.query('set session_replication_role = replica; delete from muster.muster_migrations')
  for (const { name, rows } of tables) {
    await client.query(
      `insert into muster.${name} overriding system value
       select * from json_populate_recordset(null::muster.${name}, $1)`,
      [rows],
    )
  }
  const { rows: counted } = await client.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'muster' and is_identity = 'YES'`,
  )
  for (const { table, column } of counted) {
    await client.query(
      `select setval(pg_get_serial_sequence('muster.${table}', '${column}'), max(${column}) + 1)
       from muster.${table}`,
    )
  }
}
