import { ConfigError } from '../config-error.ts'
import type { Database } from '../db/client.ts'
import { newId } from '../ids.ts'
import { insertAccountWithKey } from './create-account.ts'
import { canBeKey, hashKey, makeKey } from './key.ts'
import { bySystem } from '../audit/record.ts'
import { hasAccounts, hasKeyWithHash, lockAccounts } from './store.ts'

/**
 * Initializes an empty database with the account `default` and one admin key. Returns the key if
 * this call created it, so that it can be shown once; undefined if accounts exist already.
 */
export async function bootstrap(
  database: Database,
  wantedKey: string | undefined,
): Promise<string | undefined> {
  if (await hasAccounts(database)) return undefined
  if (wantedKey !== undefined && !canBeKey(wantedKey)) {
    throw new ConfigError(
      'Cannot start: MUSTER_ADMIN_KEY has the form of a generated key and a wrong checksum, expected a whole generated key or another text',
    )
  }
  return database.transaction().execute(async (transaction) => {
    await lockAccounts(transaction)
    if (await hasAccounts(transaction)) return undefined
    const adminKey = wantedKey ?? makeKey()
    const account = { id: newId('acc'), name: 'default', adminKey }
    await insertAccountWithKey(transaction, account, bySystem('first start', 'account.created'))
    return adminKey
  })
}

/**
 * Whether a key from the configuration is valid; it does not change a database that has accounts.
 */
export function keyExists(database: Database, key: string): Promise<boolean> {
  return hasKeyWithHash(database, hashKey(key))
}
