import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { toDate } from '../wire-types.ts'
import { findMeant } from '../nearest.ts'
import * as store from '../audit/store.ts'
import type { AuditEntry, AuditQuery } from './schema.ts'
import { toCsv } from '../http/csv.ts'

/** Newest first, 50 by default. */
export function listAudit(
  ctx: Context,
  { limit = 50, after }: PageRequest,
  query: AuditQuery,
  words: readonly string[],
): Promise<Page<AuditEntry>> {
  const { action } = query
  if (action !== undefined && !words.some((word) => word === action)) {
    const meant = findMeant(action, words)
    const hint = meant === undefined ? `expected ${words.join(', ')}` : `did you mean ${meant}?`
    const why = `action is ${JSON.stringify(action)}, ${hint}`
    throw cannot(ctx, 'invalid_value', why, { param: 'action' })
  }
  const { created_after, created_before, ...filter } = query
  const times = { from: toDate(created_after), to: toDate(created_before) }
  return store.listAudit(ctx.reads, ctx.accountId, { limit, after }, { ...filter, ...times })
}

/** The audit log as text: JSON Lines, or CSV by RFC 4180. */
export function toJsonLines(entries: AuditEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

const columns: [name: string, of: (entry: AuditEntry) => string | null][] = [
  ['id', ({ id }) => id],
  ['created_at', ({ created_at }) => created_at.toISOString()],
  ['actor_type', ({ actor }) => actor.type],
  ['actor_id', ({ actor }) => actor.id],
  ['actor_name', ({ actor }) => actor.name],
  ['action', ({ action }) => action],
  ['object_type', ({ object }) => object.type],
  ['object_id', ({ object }) => object.id],
  ['address', ({ address }) => address],
  ['request_id', ({ request_id }) => request_id],
  ['before', ({ before }) => before && JSON.stringify(before)],
  ['after', ({ after }) => after && JSON.stringify(after)],
]

export function toAuditCsv(entries: AuditEntry[]): string {
  return toCsv(columns, entries)
}
