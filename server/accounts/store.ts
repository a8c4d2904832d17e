import { sql } from 'kysely'
import type { AccountState, Credential, Identity, KeyRole } from '../identity.ts'
import type { Database, Transaction } from '../db/client.ts'
import { OwnedTable } from '../db/owned-table.ts'
import { statement, type Given } from '../db/statement.ts'
import { lockRow } from '../db/fragments.ts'
import { accountState } from './account-state.ts'
import { hashKey, prefixOf } from './credentials.ts'
import { ApiKey, type Account, type AccountName } from './schema.ts'

/** All SQL of accounts and their keys. */
export const keys = new OwnedTable<ApiKey>('api_keys', Object.keys(ApiKey.properties))

export const maxKeysPerAccount = 100

/**
 * The identities of keys by their hashes, in order; null for unknown, revoked or expired keys.
 * Updates when each was last used, to the minute.
 */
export async function identify(database: Database, hashes: Buffer[]): Promise<(Identity | null)[]> {
  const { rows } = await lookUp({ hashes }, {}).execute(database)
  const stale = rows.filter((row) => row.isStale).map((row) => row.hash)
  if (stale.length > 0) {
    await sql`update api_keys set last_used_at = now() where hash = any(${stale})`.execute(database)
  }
  return hashes.map((hash) => {
    const row = rows.find((candidate) => candidate.hash.equals(hash))
    if (row === undefined) return null
    const { accountId, account, role, id, name } = row
    return { accountId, account, role, actor: { type: 'key', id, name } }
  })
}

const lookUp = statement(
  (given: Given<{ hashes: Buffer[] }>) => sql<
    ApiKey & { accountId: string; account: AccountState; hash: Buffer; isStale: boolean }
  >`
    select account_id as "accountId", api_keys.id, api_keys.name, role, hash,
           ${accountState} as account,
           last_used_at is null or last_used_at < now() - interval '1 minute' as "isStale"
    from api_keys join accounts on accounts.id = api_keys.account_id
    where hash = any(${given.hashes}) and (expires_at is null or expires_at > now())`,
)

/** Which of these keys, of any account, are revoked, expired or belong to a suspended account. */
export async function findEndedKeys(
  database: Database | Transaction,
  keys: Credential[],
): Promise<Credential[]> {
  const { rows } = await sql<Credential>`
    select account_id as "accountId", id
    from unnest(${keys.map(({ accountId }) => accountId)}::text[],
                ${keys.map(({ id }) => id)}::text[]) as asked (account_id, id)
    where not exists (
      select 1 from api_keys join accounts on accounts.id = api_keys.account_id
      where api_keys.account_id = asked.account_id and api_keys.id = asked.id
        and accounts.suspended_at is null and (expires_at is null or expires_at > now())
    )`.execute(database)
  return rows
}

export async function insertAccount(
  database: Database | Transaction,
  account: { id: string; name: string },
): Promise<void> {
  const { id, name } = account
  await sql`
    insert into accounts (id, name) values (${id}, ${name}) on conflict do nothing`.execute(
    database,
  )
}

export async function hasAccounts(database: Database | Transaction): Promise<boolean> {
  const { rows } = await sql`select id from accounts limit 1`.execute(database)
  return rows.length > 0
}

/** Serializes the first starts of several processes, until the transaction ends. */
export async function lockAccounts(transaction: Transaction): Promise<void> {
  await sql`lock table accounts in share row exclusive mode`.execute(transaction)
}

export async function lockAccount(transaction: Transaction, accountId: string): Promise<boolean> {
  const query = sql<{ isThere: boolean }>`
    select deleted_at is null as "isThere" from accounts where id = ${accountId}`
  return (await lockRow(transaction, accountId, query))?.isThere === true
}

export async function findAccountName(
  database: Database | Transaction,
  id: string,
): Promise<AccountName | undefined> {
  const { rows } = await sql<AccountName>`
    select id, name from accounts where id = ${id} and deleted_at is null`.execute(database)
  return rows[0]
}

/** Renames an account, which must be locked. */
export async function renameAccount(
  transaction: Transaction,
  { id, name }: AccountName,
): Promise<void> {
  await sql`update accounts set name = ${name} where id = ${id}`.execute(transaction)
}

export async function retrieveAccount(
  database: Database,
  accountId: string,
  keyId: string,
): Promise<Account | undefined> {
  const { rows } = await sql<ApiKey & { account: string; since: Date }>`
    select ${keys.fields}, accounts.name as account, accounts.created_at as since
    from api_keys join accounts on accounts.id = api_keys.account_id
    where account_id = ${accountId} and api_keys.id = ${keyId}`.execute(database)
  const [row] = rows
  if (row === undefined) return undefined
  const { account: name, since: created_at, ...key } = row
  return { id: accountId, name, created_at, key }
}

/**
 * Inserts a key; if a crashed request already inserted it under this id, it gets the new secret. In
 * a full account, expired keys are deleted; undefined if it is still full. The account must be
 * locked.
 */
export async function insertKey(
  transaction: Transaction,
  accountId: string,
  row: { id: string; name: string; role: KeyRole; expires_at: Date | null },
  key: string,
  max: number | null = maxKeysPerAccount,
): Promise<ApiKey | undefined> {
  if (max !== null) {
    await sql`
      delete from api_keys
      where account_id = ${accountId} and id <> ${row.id} and expires_at <= now()
        and (select count(*) from api_keys where account_id = ${accountId} and id <> ${row.id})
            >= ${max}::int`.execute(transaction)
  }
  const sealed = { ...row, prefix: prefixOf(key), hash: hashKey(key) }
  return keys.insert(transaction, accountId, sealed, max, ['hash', 'prefix'])
}

export async function hasKeyWithHash(database: Database, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`select id from api_keys where hash = ${hash}`.execute(database)
  return rows.length > 0
}

/** Whether no other admin key is valid for as long as this one. The account must be locked. */
export async function isLastAdminKey(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from api_keys as target
    where account_id = ${accountId} and id = ${id} and role = 'admin' and not exists (
      select 1 from api_keys as other
      where other.account_id = ${accountId} and other.id <> target.id and other.role = 'admin'
        and (other.expires_at is null
             or (target.expires_at is not null and other.expires_at > now())))`.execute(transaction)
  return rows.length > 0
}
