import type { Database, Transaction } from '../db/client.ts'
import { newId } from '../ids.ts'
import { makeKey } from './key.ts'
import { bySystem, recordAudit, type AuditOrigin, type AuditRow } from '../audit/record.ts'
import * as store from './store.ts'

/** Creates an account and its first admin key, which is not stored and cannot be shown again. */
export async function createAccount(
  database: Database,
  name: string,
): Promise<{ id: string; name: string; adminKey: string }> {
  const audit = bySystem('operator', 'account.created')
  const account = { id: newId('acc'), name, adminKey: makeKey() }
  await database
    .transaction()
    .execute((transaction) => insertAccountWithKey(transaction, account, audit))
  return account
}

/** Returns the account's fields for the audit log. */
export async function insertAccountWithKey(
  transaction: Transaction,
  { id, name, adminKey }: { id: string; name: string; adminKey: string },
  audit: AuditOrigin,
): Promise<AuditRow | undefined> {
  await store.insertAccount(transaction, { id, name })
  const change = { objectId: id, after: { name } }
  const row = await recordAudit(transaction, { accountId: id, audit }, change)
  const key = { id: newId('key'), name: 'first admin key', adminKey }
  await insertAdminKey(transaction, id, key, bySystem(audit.actor.name, 'api_key.created'))
  return row
}

/** Ignores the limit of keys. Returns the key's fields for the audit log. */
export async function insertAdminKey(
  transaction: Transaction,
  accountId: string,
  { id, name, adminKey }: { id: string; name: string; adminKey: string },
  audit: AuditOrigin,
): Promise<AuditRow | undefined> {
  const row = { id, name, role: 'admin', expires_at: null } as const
  const after = await store.insertKey(transaction, accountId, row, adminKey, null)
  return recordAudit(transaction, { accountId, audit }, { objectId: id, ...(after && { after }) })
}
