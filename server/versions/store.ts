import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import type { Definition } from './diff-definitions.ts'

/** All SQL of versions. */
export interface VersionRow {
  version: number
  base_version: number | null
  changed: string[]
  note: string | null
  author_id: string | null
  author_name: string | null
  created_at: Date
  published_at: Date | null
}

const columns = sql.raw(
  'version, base_version, changed, note, author_id, author_name, created_at, published_at',
)

/** Newest first. */
export async function listRows(
  database: Database,
  accountId: string,
  objectId: string,
  { limit, before }: { limit: number; before: number | undefined },
): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select ${columns} from versions
    where account_id = ${accountId} and object_id = ${objectId}
      and version < ${before ?? 2_147_483_647}
    order by version desc limit ${limit}`.execute(database)
  return rows
}

export async function findRow(
  database: Database | Transaction,
  accountId: string,
  objectId: string,
  version: number,
): Promise<(VersionRow & { definition: Definition; total_bytes: number }) | undefined> {
  const { rows } = await sql<VersionRow & { definition: Definition; total_bytes: number }>`
    select ${columns}, definition, total_bytes::float8 as total_bytes from versions
    where account_id = ${accountId} and object_id = ${objectId} and version = ${version}`.execute(
    database,
  )
  return rows[0]
}

export interface NewVersion extends Omit<VersionRow, 'published_at' | 'created_at'> {
  accountId: string
  objectId: string
  /** JSON text. */
  definition: string
  totalBytes: number
  isLive: boolean
  /** Set for a version that is recorded late; null for the current time. */
  createdAt: Date | null
}

/** Keeps a version that a crashed request has written under the same number. */
export async function insertRow(transaction: Transaction, row: NewVersion): Promise<void> {
  // A separate expression, because Citus rejects time functions within others in a write.
  const createdAt = row.createdAt === null ? sql`now()` : sql`${row.createdAt}::timestamptz`
  await sql`
    insert into versions (account_id, object_id, version, definition, base_version, changed, note, author_id,
                          author_name, total_bytes, created_at, published_at)
    values (${row.accountId}, ${row.objectId}, ${row.version}, ${row.definition}::json, ${row.base_version},
            ${row.changed}::text[], ${row.note}, ${row.author_id}, ${row.author_name}, ${row.totalBytes},
            ${createdAt}, ${row.isLive ? createdAt : null})
    on conflict (account_id, object_id, version) do nothing`.execute(transaction)
}

export async function markPublished(
  transaction: Transaction,
  accountId: string,
  objectId: string,
  version: number,
): Promise<void> {
  await sql`
    update versions set published_at = now()
    where account_id = ${accountId} and object_id = ${objectId} and version = ${version}`.execute(
    transaction,
  )
}

/** The oldest versions with the bytes up to them. */
export async function listOldest(
  transaction: Transaction,
  accountId: string,
  objectId: string,
  limit: number,
): Promise<{ version: number; total_bytes: number }[]> {
  const { rows } = await sql<{ version: number; total_bytes: number }>`
    select version, total_bytes::float8 as total_bytes from versions
    where account_id = ${accountId} and object_id = ${objectId}
    order by version limit ${limit}`.execute(transaction)
  return rows
}

/** Deletes these versions, or all. */
export async function deleteRows(
  transaction: Transaction,
  accountId: string,
  objectId: string,
  versions?: number[],
): Promise<void> {
  await sql`
    delete from versions where account_id = ${accountId} and object_id = ${objectId}
      and ${versions === undefined ? sql`true` : sql`version = any(${versions})`}`.execute(
    transaction,
  )
}
