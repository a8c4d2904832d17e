import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { behind, type Cursor } from '../db/keyset.ts'
import type { AuditRow } from './record-audit.ts'
import type { AuditEntry } from './schema.ts'

/** SQL of the audit: rows are added and read, never changed; retention deletes them by age. */

/**
 * Body of a CTE that adds the rows of `source`, a query with one column of JSON (`AuditRow`, or
 * null for none). A row that a repeated request wrote already stays as it is.
 */
export function insertAudit(source: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into audit (account_id, id, actor_type, actor_id, actor_name, action, object_type,
                       object_id, before, after, address, request_id)
    select row.* from (${source}) as source (entry), json_to_record(source.entry) as row
      (account_id text, id text, actor_type text, actor_id text, actor_name text, action text,
       object_type text, object_id text, before jsonb, after jsonb, address text, request_id text)
    where source.entry is not null
    on conflict (account_id, id) do nothing`
}

export async function insertAuditRows(
  database: Database | Transaction,
  rows: AuditRow[],
): Promise<void> {
  const json = JSON.stringify(rows)
  await insertAudit(sql`select value from json_array_elements(${json}::json)`).execute(database)
}

export interface AuditFilter {
  actorId: string | undefined
  action: string | undefined
  objectId: string | undefined
  createdAfter: Date | undefined
  createdBefore: Date | undefined
  limit: number
  after: Cursor | undefined
}

/** Newest first. */
export async function listAudit(
  database: Database,
  accountId: string,
  filter: AuditFilter,
): Promise<AuditEntry[]> {
  const { actorId, action, objectId, createdAfter, createdBefore, limit, after } = filter
  let query = database
    .selectFrom('audit')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(behind('created_at', after))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (actorId !== undefined) query = query.where('actor_id', '=', actorId)
  if (action !== undefined) query = query.where('action', '=', action)
  // As the index has it.
  if (action !== undefined && action !== 'run.triggered') {
    query = query.where(sql<boolean>`action <> 'run.triggered'`)
  }
  if (objectId !== undefined) query = query.where('object_id', '=', objectId)
  if (createdAfter !== undefined) query = query.where('created_at', '>', createdAfter)
  if (createdBefore !== undefined) query = query.where('created_at', '<', createdBefore)
  return (await query.execute()).map((row) => ({
    id: row.id,
    created_at: row.created_at,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    action: row.action,
    object: { type: row.object_type, id: row.object_id },
    before: row.before as AuditEntry['before'],
    after: row.after as AuditEntry['after'],
    address: row.address,
    request_id: row.request_id,
  }))
}
