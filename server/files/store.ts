import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { OwnedTable } from '../db/owned-table.ts'
import { execute } from '../db/run.ts'
import type { WorkItem, WorkTable } from '../work/table.ts'
import type { ContentKey } from '../contents/contents.ts'
import { StoredFile } from './schema.ts'

/** SQL of files, of their stored contents, and of their text. */
export interface FileRow extends StoredFile {
  content_id: string
}

const fields = [...Object.keys(StoredFile.properties), 'content_id']
export const files = new OwnedTable<FileRow>('files', fields)

/**
 * How much the account's files use, and the limits; the account's row must be locked to rely on it.
 */
export async function readFileUse(
  database: Database | Transaction,
  accountId: string,
): Promise<{ count: number; bytes: number; maxBytes: number | null }> {
  const { rows } = await sql<{ count: number; bytes: number; maxBytes: number | null }>`
    select count(files.id)::int as count, coalesce(sum(files.bytes), 0)::bigint as bytes,
           accounts.max_file_bytes as "maxBytes"
    from accounts left join files on files.account_id = accounts.id
    where accounts.id = ${accountId} group by accounts.id`.execute(database)
  return rows[0] ?? { count: 0, bytes: 0, maxBytes: 0 }
}

export async function insertContent(
  database: Database,
  { accountId, contentId }: ContentKey,
  store: string,
): Promise<void> {
  await sql`
    insert into file_contents (account_id, id, store)
    values (${accountId}, ${contentId}, ${store})`.execute(database)
}

/** False if the background loop has abandoned the contents meanwhile. */
export async function keepContent(
  transaction: Transaction,
  { accountId, contentId }: ContentKey,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update file_contents set state = 'kept', due_at = null
    where account_id = ${accountId} and id = ${contentId} and state = 'arriving'`.execute(
    transaction,
  )
  return numAffectedRows === 1n
}

/**
 * Marks contents for removal by the background loop. Contents that are `arriving` are kept if they
 * belong to a file, as they may after a commit whose response was lost.
 */
export async function dropContent(
  database: Database | Transaction,
  { accountId, contentId }: ContentKey,
  from: 'arriving' | 'kept',
  { afterSeconds = 0 } = {},
): Promise<void> {
  await sql`
    update file_contents set state = 'dropping', due_at = now() + make_interval(secs => ${afterSeconds})
    where account_id = ${accountId} and id = ${contentId} and state = ${from}`.execute(database)
}

export async function storeOf(
  database: Database,
  { accountId, contentId }: ContentKey,
): Promise<string | undefined> {
  const { rows } = await sql<{ store: string }>`
    select store from file_contents
    where account_id = ${accountId} and id = ${contentId}`.execute(database)
  return rows[0]?.store
}

/**
 * Contents to remove as work, also those of accounts that are suspended or being deleted. If the store is down, or the
 * process dies, they are tried again when the claim expires.
 */
export const unusedContents: WorkTable<WorkItem> = {
  name: 'file_contents',
  isOpen: sql`item.due_at is not null`,
  dueAt: 'due_at',
  leaseSeconds: 600,
  isServed: sql`true`,
  settled: { columns: {} },
}

/** Abandons contents that no file uses; returns their store, or undefined if a file uses them by now. */
export async function abandonContent(
  database: Database,
  { accountId, contentId }: ContentKey,
): Promise<string | undefined> {
  const { rows } = await sql<{ store: string }>`
    update file_contents set state = 'dropping'
    where account_id = ${accountId} and id = ${contentId} and state <> 'kept'
    returning store`.execute(database)
  return rows[0]?.store
}

/** Called after the bytes are deleted. */
export async function forgetContent(
  database: Database,
  { accountId, contentId }: ContentKey,
): Promise<void> {
  const query = sql`
    with pages as (
      delete from file_pages where account_id = ${accountId} and content_id = ${contentId}
    )
    delete from file_contents
    where account_id = ${accountId} and id = ${contentId} and state = 'dropping'`
  await execute(database, accountId, query)
}

/** Stores the text of pages, starting with number `first`. */
export async function insertPages(
  database: Database,
  { accountId, contentId }: ContentKey,
  first: number,
  texts: string[],
): Promise<void> {
  const query = sql`
    insert into file_pages (account_id, content_id, page, text)
    select ${accountId}, ${contentId}, ${first}::int + place::int - 1, text
    from unnest(${texts}::text[]) with ordinality as page (text, place)`
  await execute(database, accountId, query)
}
