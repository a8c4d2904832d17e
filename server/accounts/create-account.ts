import type { Database, Transaction } from '../db/client.ts'
import { newId } from '../ids.ts'
import { insertAdminKey } from './add-admin-key.ts'
import { makeKey } from './key.ts'
import { bySystem, recordAudit } from './record-audit.ts'
import { insertAccount } from './store.ts'

/** Makes an account and its first admin key; the key is not stored and cannot be shown again. */
export async function createAccount(
  database: Database,
  name: string,
): Promise<{ id: string; name: string; adminKey: string }> {
  return database
    .transaction()
    .execute((transaction) => createAccountWithKey(transaction, name, makeKey()))
}

export async function createAccountWithKey(
  transaction: Transaction,
  name: string,
  adminKey: string,
  by = 'operator',
): Promise<{ id: string; name: string; adminKey: string }> {
  const id = newId('acc')
  await insertAccount(transaction, { id, name })
  const audit = bySystem(by, 'account.created')
  await recordAudit(transaction, { accountId: id, audit }, { objectId: id, after: { name } })
  await insertAdminKey(transaction, id, 'first admin key', adminKey, by)
  return { id, name, adminKey }
}
