import type { Database, Transaction } from '../db/client.ts'
import { newId } from '../ids.ts'
import { makeKey, canBeKey, hashKey } from './credentials.ts'
import { bySystem, recordAudit, type AuditOrigin, type AuditRow } from '../audit/record.ts'
import * as store from './store.ts'
import { ConfigError } from '../config-error.ts'
import { hasAccounts, hasKeyWithHash, lockAccounts } from './store.ts'

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
