import type { Selectable } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import type { Tables } from '../db/generated-tables.ts'
import type { Actor } from '../identity.ts'
import type { AuditWord, SystemWord } from './words.ts'
import { newId } from '../ids.ts'
import { toChange, type Fields } from './change.ts'
import { hasAuditRow, insertAudit, insertAuditRows } from './store.ts'

export { insertAudit }

/**
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
