import { toCsv } from '../http/csv.ts'
import type { AuditEntry } from './schema.ts'

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
