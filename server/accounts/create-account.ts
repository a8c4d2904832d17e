import type { Database, Transaction } from '../db/client.ts'
import { newId } from '../ids.ts'
import { hashKey, makeKey, prefixOf } from './key.ts'
import { insertAccount, insertKey } from './store.ts'

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
): Promise<{ id: string; name: string; adminKey: string }> {
  const id = newId('acc')
  await insertAccount(transaction, { id, name })
  await insertKey(transaction, {
    id: newId('key'),
    accountId: id,
    name: 'first admin key',
    role: 'admin',
    prefix: prefixOf(adminKey),
    hash: hashKey(adminKey),
    expiresAt: null,
  })
  return { id, name, adminKey }
}
