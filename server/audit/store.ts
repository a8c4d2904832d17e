import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { behind, toPage, type Cursor, type Page } from '../db/keyset.ts'
import { intersect } from '../db/intersect.ts'
import { pageOf } from '../db/page.ts'
import type { AuditRow } from './record.ts'
import { activityWords, type AuditKind } from './words.ts'

/** SQL of the audit log: entries are added and read, never changed; retention deletes old ones. */

/**
 * Body of a CTE that adds the entries of `source`, a query with one column of JSON (`AuditRow` or
 * null). An entry that a repeated request has already written is kept.
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

export async function hasAuditRow(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from audit where account_id = ${accountId} and id = ${id}`.execute(transaction)
  return rows.length > 0
}

export interface AuditEntry {
  id: string
  created_at: Date
  actor: { type: 'key' | 'user' | 'system'; id: string | null; name: string }
  action: string
  object: { type: string; id: string }
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  address: string | null
  request_id: string | null
}

export interface AuditFilter {
  actor_id?: string | undefined
  action?: string | undefined
  object_id?: string | undefined
  kind?: AuditKind | undefined
  from?: Date | undefined
  to?: Date | undefined
}

const activity = sql.join(activityWords.map((word) => sql.lit(word)))
/** The literal conditions of the partial indexes. */
const ofKind: Record<AuditKind, RawBuilder<boolean>> = {
  changes: sql`action not in (${activity})`,
  activity: sql`action in (${activity})`,
}

const newest = sql`created_at desc, id desc`

/** Newest first. */
export async function listAudit(
  database: Database,
  accountId: string,
  { limit, after }: { limit: number; after: Cursor | undefined },
  filter: AuditFilter,
): Promise<Page<AuditEntry>> {
  const { from, to } = filter
  const [first, second, ...others] = indexedFilters(filter)
  const where = (one: RawBuilder<unknown>) => sql`account_id = ${accountId} and ${one}`
  const range = [
    behind('created_at', after),
    from === undefined ? sql`true` : sql`created_at > ${from}`,
    to === undefined ? sql`true` : sql`created_at < ${to}`,
  ]
  const read = async (page: RawBuilder<unknown>): Promise<Page<AuditEntry>> => {
    const { rows } = await sql<AuditEntry>`
      select id, created_at, action, before, after, address, request_id,
             json_build_object('type', actor_type, 'id', actor_id, 'name', actor_name) as actor,
             json_build_object('type', object_type, 'id', object_id) as object
      from ${page} as audit order by ${newest}`.execute(database)
    return toPage(rows, limit, (row) => row.created_at)
  }
  if (first === undefined || second === undefined) {
    const inRange = where(sql.join([...range, first ?? sql`true`], sql` and `))
    return read(
      pageOf({
        table: 'audit',
        where: inRange,
        order: newest,
        limit: limit + 1,
      }),
    )
  }
  const inOrder = { table: 'audit', at: 'created_at', id: 'id' } as const
  const toFilter = (one: RawBuilder<unknown>) => ({
    ...inOrder,
    where: where(one),
  })
  const { keys } = await intersect(database, {
    filters: [toFilter(first), toFilter(second), ...others.map(toFilter)],
    after,
    later: from,
    earlier: to,
    limit: limit + 1,
  })
  const ids = keys.map(({ id }) => id)
  return read(sql`(select * from audit where ${where(sql`id = any(${ids})`)})`)
}

/** The conditions of a filter, each with an index of its own. */
function indexedFilters({ actor_id, action, object_id, kind }: AuditFilter): RawBuilder<unknown>[] {
  const isActivity = activityWords.some((word) => word === action)
  if (action !== undefined && kind !== undefined && isActivity !== (kind === 'activity')) {
    return [sql`false`]
  }
  const isOf = kind === undefined ? sql`true` : ofKind[kind]
  const filters: RawBuilder<unknown>[] = []
  if (actor_id !== undefined) {
    // The index of changes by an actor.
    const isChange = kind === 'changes' && action === undefined ? isOf : sql`true`
    filters.push(sql`actor_id = ${actor_id} and ${isChange}`)
  }
  if (object_id !== undefined) filters.push(sql`object_id = ${object_id}`)
  if (action !== undefined) {
    // The literal conditions of two partial indexes.
    const isRare = action !== 'run.triggered'
    filters.push(
      sql`action = ${action} and ${isOf} and ${isRare ? sql`action <> 'run.triggered'` : ofKind.activity}`,
    )
  } else if (kind !== undefined && !(kind === 'changes' && actor_id !== undefined)) {
    filters.push(isOf)
  }
  return filters
}
