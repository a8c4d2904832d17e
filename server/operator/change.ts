import { sql } from 'kysely'
import {
  recordAudit,
  type AuditedChange,
  type AuditOrigin,
  type AuditRow,
} from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { cannot, notFound } from '../errors.ts'
import * as store from './account-store.ts'
import type { OperatedAccount } from './schema.ts'

/**
 * What an operator's operation needs, from an API request or from the CLI on the database itself.
 */
export type Operating = Pick<Context, 'database' | 'action' | 'audit'>

/**
 * Changes an account under its lock. The change is recorded in the account's audit log, which is
 * deleted with it, and in the operator's log, which is not.
 */
export async function changeAccount(
  operating: Operating,
  id: string,
  work: (transaction: Transaction, before: OperatedAccount) => Promise<OperatedAccount>,
): Promise<OperatedAccount> {
  return operating.database.transaction().execute(async (transaction) => {
    const before = await store.findAccount(transaction, id, sql`for no key update`)
    if (before === undefined) throw notFound(operating, 'account', id)
    if (before.deleted_at !== null) {
      throw cannot(operating, 'not_found', `account ${id} is being deleted`)
    }
    const after = await work(transaction, before)
    await recordOperated(transaction, id, toOrigin(operating), { objectId: id, before, after })
    return after
  })
}

/** Writes to the account's audit log and the operator's log. */
export async function recordOperated(
  transaction: Transaction,
  accountId: string,
  origin: AuditOrigin,
  change: AuditedChange,
): Promise<void> {
  const row = await recordAudit(transaction, { accountId, audit: origin }, change)
  if (row !== undefined) await insertLog(transaction, row)
}

/**
 * Writes to the operator's log, which outlives accounts: other objects are logged by id only, and
 * people without their addresses.
 */
export async function insertLog(transaction: Transaction, row: AuditRow): Promise<void> {
  const { account_id: accountId, object_id: id } = row
  const toFields = (fields: AuditRow['before']): AuditRow['before'] => {
    if (fields === null || id === accountId) return fields
    const { email: _email, ...rest } = fields
    return { id, ...rest }
  }
  const [before, after] = [toFields(row.before), toFields(row.after)]
  await store.insertLog(transaction, { ...row, object_id: accountId, before, after })
}

/** Accounts see that the operator acted, but not who that is. */
export function toOrigin({ audit }: Pick<Operating, 'audit'>): AuditOrigin {
  return { ...audit, actor: { type: 'system', id: null, name: 'operator' } }
}
