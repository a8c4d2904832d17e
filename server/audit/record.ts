import type { Selectable } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import type { Tables } from '../db/generated-tables.ts'
import type { Actor } from '../identity.ts'
import type { AuditWord, SystemWord } from './words.ts'
import { newId } from '../ids.ts'
import { hasAuditRow, insertAudit, insertAuditRows } from './store.ts'
import { wholeEnd } from '../safe-text.ts'

export { insertAudit }

/*
 * The audit log: one entry for each request that changed something, in the transaction of the
 * change, so that neither exists without the other. The action comes from the operation's
 * definition; the entry's id is derived from the request, so that a repeat after a crash is logged
 * once.
 */

/** The actor of a change, its action, and where it came from. */
export interface AuditOrigin {
  id: string
  actor: Actor | { type: 'system'; id: null; name: string }
  action: AuditWord
  address: string | null
  requestId: string | null
}

export interface AuditedChange {
  objectId: string
  /** The API shape; left out if the object did not exist, or if there is nothing to log. */
  before?: object
  after?: object
  /** Set if it differs from the operation's action. */
  action?: AuditWord
}

/** A row of the table. */
export type AuditRow = Omit<Selectable<Tables['audit']>, 'created_at' | 'before' | 'after'> &
  Record<'before' | 'after', Fields | null>

/** Writes and returns an entry, unless nothing changed. */
export async function recordAudit(
  transaction: Database | Transaction,
  { accountId, audit }: { accountId: string; audit: AuditOrigin },
  change: AuditedChange,
): Promise<AuditRow | undefined> {
  const row = toAuditRow(accountId, audit, change)
  if (row !== undefined) await insertAuditRows(transaction, [row])
  return row
}

/**
 * Whether the request already made its change before it crashed. For changes that must not be made
 * twice; call it while the changed object is locked.
 */
export function isRepeated(
  transaction: Transaction,
  { accountId, audit }: { accountId: string; audit: AuditOrigin },
): Promise<boolean> {
  return hasAuditRow(transaction, accountId, audit.id)
}

/** For statements that write the entry themselves; undefined if nothing changed. */
export function toAuditRow(
  accountId: string,
  origin: AuditOrigin,
  { objectId, before, after, action = origin.action }: AuditedChange,
): AuditRow | undefined {
  const change = toChange(before, after)
  if (change === undefined) return undefined
  return {
    account_id: accountId,
    id: origin.id,
    actor_type: origin.actor.type,
    actor_id: origin.actor.id,
    actor_name: origin.actor.name,
    action,
    object_type: action.slice(0, action.lastIndexOf('.')),
    object_id: objectId,
    ...change,
    address: origin.address,
    request_id: origin.requestId,
  }
}

/** The origin of a change by the operator's CLI, or by the service itself. */
export function bySystem(name: string, action: SystemWord): AuditOrigin {
  const actor = { type: 'system', id: null, name } as const
  return { id: newId('aud'), actor, action, address: null, requestId: null }
}

/**
 * What the audit log stores about a change: the changed fields before and after, bounded, without
 * secrets. Operations pass API shapes, which contain no secrets; as a second line of defence,
 * fields with names like `token` are hidden here.
 */
export type Fields = Record<string, unknown>

/** Limits: characters of a text, items of a list, bytes of each side as JSON. */
const maxCharacters = 500
const maxItems = 50
const maxBytes = 8_192
const maxDepth = 6

const secretName =
  /secret|token|password|passphrase|credential|authorization|api_?key|^(key|pass|headers)$/i
/** Changes with every update, so it is not logged. */
const unrecorded = new Set(['updated_at'])

/** Undefined if nothing changed. */
export function toChange(
  before: object | undefined,
  after: object | undefined,
): { before: Fields | null; after: Fields | null } | undefined {
  if (before === undefined || after === undefined) {
    return { before: before ? bounded(before) : null, after: after ? bounded(after) : null }
  }
  const [old, now] = [before as Fields, after as Fields]
  const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => !unrecorded.has(name) && JSON.stringify(old[name]) !== JSON.stringify(now[name]),
  )
  if (changed.length === 0) return undefined
  const pick = (fields: Fields) =>
    Object.fromEntries(changed.map((name) => [name, fields[name] ?? null]))
  return { before: bounded(pick(old)), after: bounded(pick(now)) }
}

function bounded(fields: object): Fields {
  for (const characters of [maxCharacters, 100]) {
    const cut = shorten(fields, characters, 0) as Fields
    if (Buffer.byteLength(JSON.stringify(cut)) <= maxBytes) return cut
  }
  return { cut: `More than ${maxBytes} bytes`, fields: Object.keys(fields).slice(0, maxItems) }
}

function shorten(value: unknown, characters: number, depth: number): unknown {
  if (typeof value === 'string') return cutText(value, characters)
  if (value instanceof Date) return value.toISOString()
  if (value === null || typeof value !== 'object') return value
  if (depth === maxDepth) return '… (nested deeper)'
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item) => shorten(item, characters, depth + 1))
    const more = value.length - items.length
    return more === 0 ? items : [...items, `… (${more} more)`]
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      cutText(name, 100),
      isSecret(name, item) ? '[secret]' : shorten(item, characters, depth + 1),
    ]),
  )
}

function isSecret(name: string, value: unknown): boolean {
  const isHarmless = value === null || ['number', 'boolean'].includes(typeof value)
  return !isHarmless && secretName.test(name)
}

/** Cuts at a character boundary, because PostgreSQL rejects half a surrogate pair. */
function cutText(text: string, characters: number): string {
  if (text.length <= characters) return text
  return `${text.slice(0, wholeEnd(text, characters))}… (cut, ${text.length} characters)`
}
