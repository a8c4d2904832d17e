import type { Database, Transaction } from '../db/client.ts'
import { newId } from '../ids.ts'
import { makeKey } from './key.ts'
import { lockAccount } from './lock.ts'
import { bySystem, recordAudit, type AuditOrigin, type AuditRow } from './record-audit.ts'
import * as store from './store.ts'

/** Makes an account and its first admin key; the key is not stored and cannot be shown again. */
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

/** Returns how it stands in the audit. */
export async function insertAccountWithKey(
  transaction: Transaction,
  { id, name, adminKey }: { id: string; name: string; adminKey: string },
  audit: AuditOrigin,
): Promise<AuditRow | undefined> {
  await store.insertAccount(transaction, { id, name })
  const change = { objectId: id, after: { name } }
  const row = await recordAudit(transaction, { accountId: id, audit }, change)
  await insertAdminKey(transaction, id, 'first admin key', adminKey, audit.actor.name)
  return row
}

/**
 * For an operator whose account is locked out: one more admin key, whatever the bound of keys says. It
 * cannot be shown again. Undefined without such an account.
 */
export async function addAdminKey(
  database: Database,
  accountId: string,
): Promise<{ id: string; adminKey: string } | undefined> {
  const adminKey = makeKey()
  return database.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, accountId))) return undefined
    const name = "operator's admin key"
    const id = await insertAdminKey(transaction, accountId, name, adminKey, 'operator')
    return { id, adminKey }
  })
}

async function insertAdminKey(
  transaction: Transaction,
  accountId: string,
  name: string,
  adminKey: string,
  by: string,
): Promise<string> {
  const row = { id: newId('key'), name, role: 'admin', expires_at: null } as const
  const after = await store.insertKey(transaction, accountId, row, adminKey, null)
  const audit = bySystem(by, 'api_key.created')
  await recordAudit(
    transaction,
    { accountId, audit },
    { objectId: row.id, ...(after && { after }) },
  )
  return row.id
}
