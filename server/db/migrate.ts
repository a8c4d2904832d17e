import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { ConfigError } from '../config-error.ts'
import { isDistributed, distributeTables, keepToOneConnectionANode } from './cluster/distribute.ts'
import { codeOf } from './outage.ts'

/**
 * Migrates the PostgreSQL schema `muster` to what this build needs: applies the files of
 * `migrations/` in order, forward only, each in a transaction that also records it. Every
 * transaction takes the same advisory lock and reads again what has been applied, so concurrent
 * processes wait for each other and each file is applied once.
 *
 * A migration that waits for a table blocks everyone else who needs the table, so it waits only
 * briefly, rolls back and tries again later.
 *
 * From release 0.1.0 on, the first line of a file names the oldest migration that a process must
 * know to run with the new schema: `-- Readable from NNNN`. So an older process keeps running and
 * can start on a newer schema, and one that is too old is rejected.
 *
 * Tables that a migration creates in a distributed database are distributed by it.
 */
export async function migrate(pool: Pool, options: MigrateOptions = {}): Promise<Migrated> {
  const all = await readMigrations(options.folder)
  const { last } = options
  const migrations = last === undefined ? all : all.filter(({ name }) => name <= last)
  const applied: string[] = []
  const client = await pool.connect()
  try {
    await assertServerVersion(client)
    for (;;) {
      const name = await tryToApplyNext(client, migrations, options.patience ?? defaultPatience)
      if (name === undefined) break
      applied.push(name)
    }
  } catch (error) {
    // The connection may be in a failed transaction, so the pool must not reuse it.
    client.release(true)
    throw error
  }
  client.release()
  return { applied }
}

export interface MigrateOptions {
  /** Folder of `NNNN_name.sql` files; those of this build by default. */
  folder?: string
  /** Newest migration to apply; all by default. An older one to restore a backup. */
  last?: string
  patience?: LockPatience
}

interface LockPatience {
  /** Timeout for one lock, because others may wait behind it. */
  lockMs: number
  pauseMs: number
  /** Total time before it fails. */
  totalMs: number
}

const defaultPatience = { lockMs: 1_000, pauseMs: 2_000, totalMs: 300_000 }

export interface Migrated {
  /** Names of the migrations that this call applied, in order. */
  applied: string[]
}

interface Migration {
  name: string
  sql: string
  checksum: string
  /** Number of the oldest migration that a process must know to run with this one. */
  readableFrom: string | null
}

type Applied = Pick<Migration, 'name' | 'checksum' | 'readableFrom'>

const oldestServer = 15
/** An arbitrary constant, the same in every build: the advisory lock of a running migration. */
const migrateLock = 0x6d696772

/** The migrations in order. */
export async function readMigrations(
  folder = join(import.meta.dirname, 'migrations'),
): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const numbers = new Map<string, string>()
  for (const name of names) {
    const number = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]
    if (number === undefined) throw new Error(`Cannot migrate: ${name} is not named NNNN_name.sql`)
    const other = numbers.get(number)
    if (other !== undefined) throw new Error(`Cannot migrate: ${other} and ${name} share a number`)
    numbers.set(number, name)
  }
  return await Promise.all(
    names.map(async (name) => {
      // Line endings of the checkout do not change the checksum.
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      const checksum = createHash('sha256').update(sql).digest('hex')
      const readableFrom = /^-- Readable from (\d{4})$/m.exec(sql)?.[1] ?? null
      return { name, sql, checksum, readableFrom }
    }),
  )
}

async function assertServerVersion(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ number: string; version: string }>(
    `select current_setting('server_version_num') as number,
       current_setting('server_version') as version`,
  )
  if (Number(rows[0]?.number) >= oldestServer * 10_000) return
  throw new ConfigError(
    `Cannot migrate the database: it is PostgreSQL ${rows[0]?.version}, ` +
      `Muster needs ${oldestServer} or newer`,
  )
}

async function tryToApplyNext(
  client: PoolClient,
  migrations: readonly Migration[],
  { lockMs, pauseMs, totalMs }: LockPatience,
): Promise<string | undefined> {
  const deadline = performance.now() + totalMs
  for (;;) {
    try {
      return await applyNext(client, migrations, lockMs)
    } catch (error) {
      const { message, cause = error } = error as Error
      // Lock timeout or deadlock.
      if (!['55P03', '40P01'].includes(codeOf(cause))) throw error
      if (performance.now() > deadline) {
        throw new Error(`Cannot migrate the database: others kept it locked (${message})`, {
          cause: error,
        })
      }
      await client.query('rollback')
      await delay(pauseMs * (0.75 + Math.random() / 2))
    }
  }
}

/** Applies the first migration that is not recorded; undefined if there is none. */
async function applyNext(
  client: PoolClient,
  migrations: readonly Migration[],
  lockMs: number,
): Promise<string | undefined> {
  await client.query('begin')
  // No statement timeout, because a migration may take long.
  await client.query(`set local statement_timeout = 0; set local lock_timeout = ${lockMs}`)
  await client.query('select pg_advisory_xact_lock($1)', [migrateLock])
  const next = findNext(migrations, await readApplied(client))
  if (next !== undefined) {
    await client.query('set local search_path = muster')
    if (await isDistributed(client)) {
      await keepToOneConnectionANode(client)
      // Citus sends the whole text of a statement to the nodes, which accept only one statement at
      // a time.
      for (const statement of splitStatements(next.sql)) {
        await runSql(client, { ...next, sql: statement })
      }
      await distributeTables(client)
    } else await runSql(client, next)
    await client.query(
      'insert into muster.muster_migrations (name, checksum, readable_from) values ($1, $2, $3)',
      [next.name, next.checksum, next.readableFrom],
    )
  }
  await client.query('commit')
  return next?.name
}

/** Creates the table if it is missing, in the open transaction. */
async function readApplied(client: PoolClient): Promise<Applied[]> {
  const { rows: found } = await client.query<{ schema: string | null; table: string | null }>(
    `select to_regnamespace('muster')::text as schema,
       to_regclass('muster.muster_migrations')::text as table`,
  )
  // Checked first, because a role without permission to create schemas can use an existing one.
  if (found[0]?.schema === null) await client.query('create schema muster')
  if (found[0]?.table === null) {
    await client.query(
      `create table muster.muster_migrations (
         name text primary key,
         checksum text not null,
         readable_from text,
         applied_at timestamptz not null default now()
       )`,
    )
  }
  const { rows } = await client.query<Applied>(
    `select name, checksum, readable_from as "readableFrom" from muster.muster_migrations order by name`,
  )
  return rows
}

/** Decides which migration is next, pure. */
function findNext(migrations: readonly Migration[], applied: Applied[]): Migration | undefined {
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  const known = new Set(migrations.map(({ name }) => name))
  const newest = migrations.at(-1)?.name ?? ''
  const unreadable = applied.filter(
    ({ name, readableFrom }) =>
      !known.has(name) && (readableFrom === null || readableFrom > newest),
  )
  if (unreadable.length > 0) {
    throw new ConfigError(
      `Cannot migrate the database: it has ${unreadable.map(({ name }) => name).join(', ')}, which this ` +
        `build of Muster is too old for; a newer Muster has migrated it, upgrade this one`,
    )
  }
  for (const { name, checksum } of migrations) {
    if ((checksums.get(name) ?? checksum) === checksum) continue
    throw new ConfigError(
      `Cannot migrate the database: ${name} was changed after it was applied to it; ` +
        `restore that file and put the change into a new migration`,
    )
  }
  return migrations.find(({ name }) => !checksums.has(name))
}

/** Splits at semicolons that end a line, which appear inside a statement only in `$$` bodies. */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let lines: string[] = []
  for (const line of text.split('\n').filter((one) => !/^\s*(--.*)?$/.test(one))) {
    lines.push(line)
    const isInBody = lines.join('\n').split('$$').length % 2 === 0
    if (isInBody || !/;\s*(--.*)?$/.test(line)) continue
    statements.push(lines.join('\n'))
    lines = []
  }
  return lines.length === 0 ? statements : [...statements, lines.join('\n')]
}

async function runSql(client: PoolClient, { name, sql }: Migration): Promise<void> {
  try {
    await client.query(sql)
  } catch (error) {
    const { message, position } = error as Error & { position?: string }
    const line = sql.slice(0, Number(position ?? 0)).split('\n').length
    const place = position === undefined ? name : `${name} line ${line}`
    throw new Error(`Cannot apply migration ${place}: ${message}`, { cause: error })
  }
}
