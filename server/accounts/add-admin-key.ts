import type { Database, Transaction } from '../db/client.ts'
import { newId } from '../ids.ts'
import { hashKey, makeKey, prefixOf } from './key.ts'
import { lockAccount } from './lock.ts'
import { bySystem, recordAudit } from './record-audit.ts'
import type { ApiKey } from './schema.ts'
import { insertKey } from './store.ts'

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
    const { id } = await insertAdminKey(transaction, accountId, name, adminKey, 'operator')
    return { id, adminKey }
  })
}

export async function insertAdminKey(
  transaction: Transaction,
  accountId: string,
  name: string,
  adminKey: string,
  by: string,
): Promise<ApiKey> {
  const key = await insertKey(transaction, {
    id: newId('key'),
    accountId,
    name,
    role: 'admin',
    prefix: prefixOf(adminKey),
    hash: hashKey(adminKey),
    expiresAt: null,
  })
  const audit = bySystem(by, 'api_key.created')
  await recordAudit(transaction, { accountId, audit }, { objectId: key.id, after: key })
  return key
}
