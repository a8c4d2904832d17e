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
 * The audit: one row for each request that changed something, in the transaction of the change, so that
 * neither is there without the other. The word comes from the definition of the operation; the row's id
 * from the request, so that a request that is repeated after a crash is not told twice.
 */
/** Who changes something, how it is called, and from where. */
export interface AuditOrigin {
  id: string
  actor: Actor | { type: 'system'; id: null; name: string }
  action: AuditWord
  address: string | null
  requestId: string | null
}

export interface AuditedChange {
  objectId: string
  /** The wire shape; absent where there was no such object, or where nothing is to be told of it. */
  before?: object
  after?: object
  /** Where it differs from that of the operation. */
  action?: AuditWord
}

/** As the table has it. */
export type AuditRow = Omit<Selectable<Tables['audit']>, 'created_at' | 'before' | 'after'> &
  Record<'before' | 'after', Fields | null>

/** Writes a row, and returns it, unless nothing changed. */
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
 * Whether the request has made its change before, and is repeated because it crashed then. For changes that are
 * not the same when they are made twice, behind the lock of what they change.
 */
export function isRepeated(
  transaction: Transaction,
  { accountId, audit }: { accountId: string; audit: AuditOrigin },
): Promise<boolean> {
  return hasAuditRow(transaction, accountId, audit.id)
}

/** For statements that write the row themselves; undefined where nothing changed. */
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

/** What an operator does at the machine, or the service on its own. */
export function bySystem(name: string, action: SystemWord): AuditOrigin {
  const actor = { type: 'system', id: null, name } as const
  return { id: newId('aud'), actor, action, address: null, requestId: null }
}
