import { sql } from 'kysely'
import type { Actor } from '../actor.ts'
import type { Database, Transaction } from '../db/client.ts'
import { behind, type Cursor } from '../db/keyset.ts'
import type { Role } from '../roles.ts'
import type { ApiKey } from './schema.ts'

/** All SQL of accounts and their keys. */
export const maxKeysPerAccount = 100

const keyColumns = [
  'id',
  'name',
  'role',
  'prefix',
  'created_at',
  'expires_at',
  'last_used_at',
] as const

export interface Identity {
  accountId: string
  role: Role
  actor: Actor
}

export interface NewKey {
  id: string
  accountId: string
  name: string
  role: Role
  prefix: string
  hash: Buffer
  expiresAt: Date | null
}

/**
 * Who the keys with these hashes are, in their order; null for one that is unknown, revoked or
 * expired. Notes the use of each key, to the minute.
 */
export async function identify(database: Database, hashes: Buffer[]): Promise<(Identity | null)[]> {
  const { rows } = await sql<Key>`
    select account_id as "accountId", id, name, role, hash,
           last_used_at is null or last_used_at < now() - interval '1 minute' as "isStale"
    from api_keys
    where hash = any(${hashes}) and (expires_at is null or expires_at > now())`.execute(database)
  const stale = rows.filter((row) => row.isStale).map((row) => row.hash)
  if (stale.length > 0) {
    await sql`update api_keys set last_used_at = now() where hash = any(${stale})`.execute(database)
  }
  return hashes.map((hash) => {
    const row = rows.find((candidate) => candidate.hash.equals(hash))
    if (row === undefined) return null
    const { accountId, role, id, name } = row
    return { accountId, role, actor: { type: 'key', id, name } }
  })
}

interface Key {
  accountId: string
  id: string
  name: string
  role: Role
  hash: Buffer
  isStale: boolean
}

/** Which of these keys, of any account, are revoked or expired by now. */
export async function findEndedKeys(
  database: Database,
  keys: { accountId: string; keyId: string }[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${keys.map(({ accountId }) => accountId)}::text[],
                          ${keys.map(({ keyId }) => keyId)}::text[]) as asked (account_id, id)
    where not exists (
      select 1 from api_keys
      where api_keys.account_id = asked.account_id and api_keys.id = asked.id
        and (expires_at is null or expires_at > now())
    )`.execute(database)
  return new Set(rows.map(({ id }) => id))
}

export async function insertAccount(
  database: Database | Transaction,
  account: { id: string; name: string },
): Promise<void> {
  await database.insertInto('accounts').values(account).execute()
}

export async function listAccounts(
  database: Database,
): Promise<{ id: string; name: string; created_at: Date }[]> {
  return database.selectFrom('accounts').selectAll().orderBy('created_at').limit(1_000).execute()
}

export async function hasAccounts(database: Database | Transaction): Promise<boolean> {
  return (
    (await database.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) !== undefined
  )
}

/** A lock that first starts of several processes share, until the transaction ends. */
export async function lockAccounts(transaction: Transaction): Promise<void> {
  await sql`lock table accounts in share row exclusive mode`.execute(transaction)
}

export async function lockAccount(transaction: Transaction, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from accounts where id = ${accountId} for no key update`.execute(transaction)
  return rows.length === 1
}

export async function retrieveAccount(
  database: Database,
  accountId: string,
  keyId: string,
): Promise<
  { id: string; name: string; created_at: Date; key: Omit<ApiKey, 'prefix'> } | undefined
> {
  const account = await database
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', accountId)
    .executeTakeFirst()
  const key = await database
    .selectFrom('api_keys')
    .select(keyColumns)
    .where('account_id', '=', accountId)
    .where('id', '=', keyId)
    .executeTakeFirst()
  return account === undefined || key === undefined ? undefined : { ...account, key }
}

/**
 * Whether the account may have the key with this id. A full one forgets the keys that have expired. The
 * account must be locked.
 */
export async function makeRoomForKey(
  transaction: Transaction,
  accountId: string,
  keyId: string,
): Promise<boolean> {
  const { count } = await transaction
    .selectFrom('api_keys')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('account_id', '=', accountId)
    .where('id', '<>', keyId)
    .executeTakeFirstOrThrow()
  if (count < maxKeysPerAccount) return true
  const { numDeletedRows } = await transaction
    .deleteFrom('api_keys')
    .where('account_id', '=', accountId)
    .where('id', '<>', keyId)
    .where('expires_at', '<=', sql<Date>`now()`)
    .executeTakeFirst()
  return count - Number(numDeletedRows) < maxKeysPerAccount
}

/** Inserts a key; one that a crashed request made under the same id gets the new secret. */
export async function insertKey(database: Database | Transaction, key: NewKey): Promise<ApiKey> {
  return database
    .insertInto('api_keys')
    .values({
      id: key.id,
      account_id: key.accountId,
      name: key.name,
      role: key.role,
      prefix: key.prefix,
      hash: key.hash,
      expires_at: key.expiresAt,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'id']).doUpdateSet({ hash: key.hash, prefix: key.prefix }),
    )
    .returning(keyColumns)
    .executeTakeFirstOrThrow()
}

export async function hasKeyWithHash(database: Database, hash: Buffer): Promise<boolean> {
  const row = await database
    .selectFrom('api_keys')
    .select('id')
    .where('hash', '=', hash)
    .executeTakeFirst()
  return row !== undefined
}

export async function listKeys(
  database: Database,
  accountId: string,
  limit: number,
  after: Cursor | undefined,
): Promise<ApiKey[]> {
  return database
    .selectFrom('api_keys')
    .select(keyColumns)
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .where(behind('created_at', after))
    .execute()
}

/**
 * Deletes a key, unless it is the last admin key: one that never expires leaves another such key. The
 * account must be locked.
 */
export async function deleteKey(
  transaction: Transaction,
  accountId: string,
  keyId: string,
): Promise<ApiKey | 'absent' | 'last-admin'> {
  const { rows } = await sql<{ isLastAdmin: boolean }>`
    select target.role = 'admin' and not exists (
             select 1 from api_keys as other
             where other.account_id = ${accountId} and other.id <> target.id
               and other.role = 'admin'
               and (other.expires_at is null
                    or (target.expires_at is not null and other.expires_at > now()))
           ) as "isLastAdmin"
    from api_keys as target
    where target.account_id = ${accountId} and target.id = ${keyId}`.execute(transaction)
  const [target] = rows
  if (target === undefined) return 'absent'
  if (target.isLastAdmin) return 'last-admin'
  return transaction
    .deleteFrom('api_keys')
    .where('account_id', '=', accountId)
    .where('id', '=', keyId)
    .returning(keyColumns)
    .executeTakeFirstOrThrow()
}
