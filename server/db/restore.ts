import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { from } from 'pg-copy-streams'
import { ConfigError } from '../config-error.ts'
import type { ArchiveHeader, ArchiveReader } from './archive.ts'
import { listTables, openClient } from './backup.ts'
import { createPool } from './client.ts'
import { keepToOneConnectionANode } from './cluster/distribute.ts'
import { migrate, readMigrations } from './migrate.ts'

/**
 * Restores a backup into a database without a schema of Muster: the schema is migrated to the
 * backup's version, all rows are copied in one transaction, then newer migrations are applied. The
 * restore is all or nothing.
 */
export async function restore(
  url: string,
  reader: ArchiveReader,
  finish: (client: Client) => Promise<void>,
): Promise<Restored> {
  const { header } = reader
  await assertUnused(url)
  const last = header.migrations.at(-1)?.name ?? ''
  await migrateTo(url, last)
  const tables = await copyRows(url, reader, finish)
  await migrateTo(url)
  return { made_at: header.made_at, release: header.release, tables }
}

/** Copies all rows, or none. Returns the number of rows of each table. */
async function copyRows(
  url: string,
  reader: ArchiveReader,
  finish: (client: Client) => Promise<void>,
): Promise<Record<string, number>> {
  await using client = await openClient(url)
  const tables: Record<string, number> = {}
  await assertSameMigrations(client, reader.header)
  await client.query('begin')
  await keepToOneConnectionANode(client)
  const known = await listTables(client)
  // Migrations have inserted rows into some tables.
  for (const { table } of known.toReversed()) await client.query(`delete from muster.${table}`)
  for (;;) {
    const next = await reader.table()
    if (next === undefined) break
    const table = known.find((one) => one.table === next.table)
    const unknown = next.columns.find((name) => !table?.columns.includes(name))
    if (table === undefined || unknown !== undefined) {
      const what = table === undefined ? next.table : `${next.table}.${unknown}`
      throw new ConfigError(`Cannot read the backup: there is no ${what} in this schema`)
    }
    const columns = next.columns.map((name) => client.escapeIdentifier(name)).join(', ')
    const into = client.query(from(`copy muster.${table.table} (${columns}) from stdin`))
    await pipeline(Readable.from(reader.rows()), into)
    tables[table.table] = into.rowCount
  }
  await raiseSequences(client)
  await finish(client)
  await client.query('commit')
  return tables
}

export interface Restored {
  /** When the backup was made. */
  made_at: string
  release: string
  /** Rows by table. */
  tables: Record<string, number>
}

async function migrateTo(url: string, last?: string): Promise<void> {
  await using pool = createPool(url, 1, { answerMs: 0 })
  await migrate(pool, last === undefined ? {} : { last })
}

async function assertUnused(url: string): Promise<void> {
  {
    await using client = await openClient(url)
    const { rows } = await client.query<{ accounts: string | null }>(`
      select to_regclass('muster.accounts')::text as accounts`)
    await assertNoOtherSession(client, 'restore')
    if (rows[0]?.accounts == null) return
    const { rowCount } = await client.query('select from muster.accounts limit 1')
    if (rowCount === 0) return
  }
  throw new ConfigError(
    'Cannot restore: the database has accounts of Muster; restore into an empty database, ' +
      'or into another MUSTER_DATA_DIR',
  )
}

/** Throws if a process of Muster has a session; one that has just ended gets time to close it. */
export async function assertNoOtherSession(client: Client, verb: string): Promise<void> {
  for (let tries = 0; tries < 30; tries++) {
    const { rowCount } = await client.query(`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'muster' and pid <> pg_backend_pid()`)
    if (rowCount === 0) return
    await delay(100)
  }
  throw new ConfigError(`Cannot ${verb}: a Muster works on the database; stop it first`)
}

/** Throws for a backup of a newer schema, before a database is created for it. */
export async function assertKnownSchema(header: ArchiveHeader): Promise<void> {
  const unknown = findUnknown(header, await readMigrations())
  if (unknown !== undefined) throw unknownSchema(header, unknown)
}

async function assertSameMigrations(client: Client, header: ArchiveHeader): Promise<void> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from muster.muster_migrations',
  )
  const unknown = findUnknown(header, rows)
  if (unknown !== undefined) throw unknownSchema(header, unknown)
  if (rows.length === header.migrations.length) return
  throw new ConfigError(
    'Cannot restore: the database has no accounts of Muster, but its schema is newer than that of the backup; ' +
      'restore into a database without the schema muster, or into another MUSTER_DATA_DIR',
  )
}

function findUnknown(
  { migrations }: ArchiveHeader,
  known: readonly { name: string; checksum: string }[],
): string | undefined {
  const here = new Map(known.map(({ name, checksum }) => [name, checksum]))
  return migrations.find(({ name, checksum }) => here.get(name) !== checksum)?.name
}

function unknownSchema({ release }: ArchiveHeader, name: string): ConfigError {
  return new ConfigError(
    `Cannot restore: the backup is of Muster ${release}, whose schema this one does not know (${name}); ` +
      'restore it with that version or a newer one',
  )
}

/** Sets sequences behind the highest restored number. */
async function raiseSequences(client: Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'muster' and is_identity = 'YES'`)
  for (const { table, column } of rows) {
    await client.query(`
      select setval(pg_get_serial_sequence('muster.${table}', '${column}'),
                    coalesce((select max(${column}) from muster.${table}), 0) + 1, false)`)
  }
}
