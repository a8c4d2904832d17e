import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { asBytes, asTime } from '../../db/run.ts'
import type { WorkItem, WorkTable } from '../../work/table.ts'
import type { DocumentChange } from './pinned.ts'
import type { HttpRow } from './row.ts'

/** SQL of HTTP APIs, beyond that of all connectors. */
export const maxHttpConnectors = 20

/**
 * Inserts or replaces an HTTP API; false if the account, which must be locked, has reached its
 * limit.
 */
export async function saveHttpConnector(
  transaction: Transaction,
  accountId: string,
  row: HttpRow,
): Promise<boolean> {
  const { id, kind, secret, version, url, header_names: headerNames, safe_tools: safe } = row
  const isRead = row.settings.document?.origin != null
  const { numAffectedRows } = await sql`
    insert into connectors
      (account_id, id, kind, secret, version, url, header_names, safe_tools, picked, tools, label,
       settings, read_again_at)
    select ${accountId}, ${id}, ${kind}, ${secret}::bytea, ${version}, ${url},
           ${headerNames}::text[], ${safe}::text[],
           ${row.picked ? JSON.stringify(row.picked) : null}::jsonb,
           ${JSON.stringify(row.tools)}::jsonb, ${row.label}, ${JSON.stringify(row.settings)}::jsonb,
           ${isRead ? sql`now() + interval '1 day'` : sql`null::timestamptz`}
    where (select count(*) from connectors
           where account_id = ${accountId} and kind in ('http', 'openapi') and id <> ${id})
          < ${maxHttpConnectors}::int
    on conflict (account_id, id) do update set
      kind = excluded.kind, secret = excluded.secret, version = excluded.version,
      url = excluded.url, header_names = excluded.header_names, safe_tools = excluded.safe_tools,
      picked = excluded.picked, tools = excluded.tools, label = excluded.label,
      settings = excluded.settings, read_again_at = excluded.read_again_at,
      checked_at = null, failing_since = null, check_message = null,
      changed_tools = '{}', changes = '[]', updated_at = excluded.updated_at`.execute(transaction)
  return numAffectedRows === 1n
}

/** Records how a document differs, unless the connector was replaced in the meantime. */
export async function saveChanges(
  database: Database,
  accountId: string,
  { id, secret }: HttpRow,
  { changes, changed }: { changes: readonly DocumentChange[]; changed: readonly string[] },
): Promise<void> {
  await sql`
    update connectors set changes = ${JSON.stringify(changes)}::jsonb,
      changed_tools = ${changed}::text[], read_again_at = now() + interval '1 day'
    where account_id = ${accountId} and id = ${id} and kind = 'openapi'
      and secret = ${secret}::bytea`.execute(database)
}

export interface DueDocument extends HttpRow, WorkItem {
  id: string
}

/** Documents with an address, to be read again. */
export const dueDocuments: WorkTable<DueDocument> = {
  name: 'connectors',
  isOpen: sql`item.kind = 'openapi' and item.read_again_at is not null`,
  dueAt: 'read_again_at',
  leaseSeconds: 120,
  columns: sql`
    claimed.kind, claimed.secret, claimed.version, claimed.url, claimed.header_names,
    claimed.safe_tools, claimed.picked, claimed.tools, claimed.changed_tools, claimed.label,
    claimed.settings, claimed.changes, claimed.checked_at, claimed.failing_since,
    claimed.check_message`,
  cast: { secret: asBytes, checked_at: asTime, failing_since: asTime },
  settled: { columns: {} },
}
