import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { behind, type Cursor } from '../db/keyset.ts'
import type { Role } from '../http/permissions.ts'
import type { ApiKey } from './schema.ts'

/** All SQL of accounts and their keys. */
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
  keyId: string
  role: Role
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
  const { rows } = await sql<Identity & { hash: Buffer; isStale: boolean }>`
    select account_id as "accountId", id as "keyId", role, hash,
           last_used_at is null or last_used_at < now() - interval '1 minute' as "isStale"
    from api_keys
    where hash = any(${hashes}) and (expires_at is null or expires_at > now())`.execute(database)
  const stale = rows.filter((row) => row.isStale).map((row) => row.keyId)
  if (stale.length > 0) {
    await sql`update api_keys set last_used_at = now() where id = any(${stale})`.execute(database)
  }
  return hashes.map((hash) => {
    const row = rows.find((candidate) => candidate.hash.equals(hash))
    return row === undefined ? null : { accountId: row.accountId, keyId: row.keyId, role: row.role }
  })
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
      conflict.column('id').doUpdateSet({ hash: key.hash, prefix: key.prefix }),
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
 * Deletes a key, unless it is the last admin key that works. The account's row is locked, so that
 * two admins cannot revoke each other's keys at once.
 */
export async function deleteKey(
  transaction: Transaction,
  accountId: string,
  keyId: string,
): Promise<'deleted' | 'absent' | 'last-admin'> {
  await sql`select 1 from accounts where id = ${accountId} for update`.execute(transaction)
  const { rows } = await sql<{ isTarget: boolean; isAdmin: boolean }>`
    select id = ${keyId} as "isTarget", role = 'admin' as "isAdmin"
    from api_keys
    where account_id = ${accountId}
      and (id = ${keyId} or (role = 'admin' and (expires_at is null or expires_at > now())))
    limit 1000`.execute(transaction)
  const target = rows.find((row) => row.isTarget)
  if (target === undefined) return 'absent'
  if (target.isAdmin && !rows.some((row) => row.isAdmin && !row.isTarget)) return 'last-admin'
  await transaction
    .deleteFrom('api_keys')
    .where('account_id', '=', accountId)
    .where('id', '=', keyId)
    .execute()
  return 'deleted'
}
