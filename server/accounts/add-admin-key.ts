import type { Database, Transaction } from '../db/client.ts'
import { newId } from '../ids.ts'
import { hashKey, makeKey, prefixOf } from './key.ts'
import { lockAccount } from './lock.ts'
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
    const { id } = await insertAdminKey(transaction, accountId, "operator's admin key", adminKey)
    return { id, adminKey }
  })
}

export function insertAdminKey(
  transaction: Transaction,
  accountId: string,
  name: string,
  adminKey: string,
): Promise<ApiKey> {
  return insertKey(transaction, {
    id: newId('key'),
    accountId,
    name,
    role: 'admin',
    prefix: prefixOf(adminKey),
    hash: hashKey(adminKey),
    expiresAt: null,
  })
}
