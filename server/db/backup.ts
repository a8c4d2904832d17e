import { Client } from 'pg'
import { to } from 'pg-copy-streams'
import {
  ArchiveWriter,
  format,
  formatVersion,
  type ArchiveHeader,
  type TableHeader,
} from './archive.ts'
import { byReferences } from './by-references.ts'
import { connectionOptions } from './client.ts'
import { isDistributed } from './cluster/distribute.ts'

/**
 * A consistent copy of everything in the schema `muster`, made while the service is running: all
 * tables are read in one snapshot. Unlogged tables, which only hold state of running processes, are
 * left out.
 */
export async function* backup(
  url: string,
  { release, secretKey }: { release: string; secretKey: Buffer | undefined },
): AsyncGenerator<Buffer> {
  await using client = await openClient(url)
  await client.query('begin isolation level repeatable read read only')
  if (await isDistributed(client)) await openSnapshots(client)
  const writer = new ArchiveWriter()
  yield writer.line(await readHeader(client, release, secretKey))
  for (const table of await listTables(client)) {
    yield writer.line(table)
    const columns = table.columns.map((name) => client.escapeIdentifier(name)).join(', ')
    const name = client.escapeIdentifier(table.table)
    const rows = client.query(to(`copy muster.${name} (${columns}) to stdout`))
    for await (const piece of rows) yield writer.piece(piece as Buffer)
    yield writer.endOfRows()
  }
  yield writer.end()
  await client.query('commit')
}

/**
 * Opens a snapshot on each node of a cluster, on one connection each. The snapshots differ by
 * moments, but the rows of an account are on one node and so consistent.
 */
async function openSnapshots(client: Client): Promise<void> {
  await client.query('set local citus.max_adaptive_executor_pool_size = 1')
  await client.query('select count(*) from muster.jobs')
}

async function readHeader(
  client: Client,
  release: string,
  secretKey: Buffer | undefined,
): Promise<ArchiveHeader> {
  const { rows } = await client.query<Pick<ArchiveHeader, 'server_version' | 'migrations'>>(`
    select current_setting('server_version') as server_version,
           (select json_agg(json_build_object('name', name, 'checksum', checksum) order by name)
            from muster.muster_migrations) as migrations`)
  return {
    format,
    version: formatVersion,
    made_at: new Date().toISOString(),
    release,
    ...(rows[0] as Pick<ArchiveHeader, 'server_version' | 'migrations'>),
    ...(secretKey && { secret_key: secretKey.toString('base64') }),
  }
}

/** Tables with their stored columns, each after the tables that it refers to. */
export async function listTables(client: Client): Promise<TableHeader[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; refersTo: string[] }>(`
    select class.relname as name,
           (select json_agg(attname order by attnum) from pg_attribute
            where attrelid = class.oid and attnum > 0 and not attisdropped
              and attgenerated = '') as columns,
           (select coalesce(json_agg(other.relname), '[]') from pg_constraint
            join pg_class as other on other.oid = confrelid
            where conrelid = class.oid and contype = 'f') as "refersTo"
    from pg_class as class
    where relnamespace = 'muster'::regnamespace and relkind in ('r', 'p') and relpersistence = 'p'
      and relname <> 'muster_migrations'
    order by relname`)
  return byReferences(rows).map(({ name, columns }) => ({ table: name, columns }))
}

/** A connection outside the pools, for long work on the whole database. */
export async function openClient(url: string, name = 'muster'): Promise<Client & AsyncDisposable> {
  const client = new Client({ ...connectionOptions(url), application_name: name })
  client.on('error', () => {})
  await client.connect()
  await client.query('set statement_timeout = 0')
  await client.query('set idle_in_transaction_session_timeout = 0')
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
