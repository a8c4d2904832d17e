import { sql } from 'kysely'
import { accountState } from '../accounts/account-state.ts'
import type { Database, Transaction } from '../db/client.ts'
import type { AccountState, Role } from '../identity.ts'
import type { Scope } from './scopes.ts'

/** SQL of registered clients and of grants. */
export interface RegisteredClient {
  id: string
  name: string
  redirectUris: string[]
}

/** Limit for registered clients that no person has given access; another one ends the oldest. */
const maxUnused = 1_000
const unusedDays = 1
/** Days after which a client to which nobody gave access again has to register again. */
const usedDays = 90

export async function insertClient(
  database: Database,
  { id, name, redirectUris }: RegisteredClient,
): Promise<void> {
  await sql`
    with full_up as (
      delete from oauth_clients where id in (
        select id from oauth_clients where used_at is null
        order by created_at desc, id desc offset ${sql.lit(maxUnused - 1)})
    )
    insert into oauth_clients (id, name, redirect_uris, expires_at)
    values (${id}, ${name}, ${redirectUris}, now() + make_interval(days => ${sql.lit(unusedDays)}))`.execute(
    database,
  )
}

export async function findClient(
  database: Database,
  id: string,
): Promise<{ name: string | undefined; redirectUris: string[] } | undefined> {
  const { rows } = await sql<RegisteredClient>`
    select name, redirect_uris as "redirectUris" from oauth_clients
    where id = ${id} and expires_at > now()`.execute(database)
  const [row] = rows
  return row && { name: row.name === '' ? undefined : row.name, redirectUris: row.redirectUris }
}

/** Keeps a registered client; false if it has ended meanwhile. */
export async function keepClient(database: Database | Transaction, id: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update oauth_clients set used_at = coalesce(used_at, now()),
      expires_at = now() + make_interval(days => ${sql.lit(usedDays)})
    where id = ${id} and expires_at > now()`.execute(database)
  return numAffectedRows > 0n
}

export interface NewGrant {
  id: string
  accountId: string
  userId: string
  clientId: string
  clientName: string
  clientHost: string
  redirectUri: string
  resource: string
  scopes: readonly Scope[]
  codeHash: Buffer
  codeChallenge: string
}

/** A code is exchanged by a program, at once. */
const codeSeconds = 60
/** Limit for the grants of a person in an account; another one ends the oldest. */
const maxGrants = 50

/** Stores a grant whose code is still to be exchanged. A repeated request gets another code. */
export async function insertGrant(transaction: Transaction, grant: NewGrant): Promise<void> {
  const { accountId, userId } = grant
  await sql`
    delete from oauth_grants where account_id = ${accountId} and id in (
      select id from oauth_grants
      where account_id = ${accountId} and user_id = ${userId} and id <> ${grant.id}
      order by created_at desc, id desc offset ${sql.lit(maxGrants - 1)})`.execute(transaction)
  await sql`
    insert into oauth_grants
      (account_id, id, user_id, client_id, client_name, client_host, redirect_uri, resource, scopes,
       code_hash, code_challenge, expires_at)
    values (${accountId}, ${grant.id}, ${userId}, ${grant.clientId}, ${grant.clientName},
            ${grant.clientHost}, ${grant.redirectUri}, ${grant.resource}, ${[...grant.scopes]},
            ${grant.codeHash}, ${grant.codeChallenge}, now() + make_interval(secs => ${sql.lit(codeSeconds)}))
    on conflict (account_id, id) do update set code_hash = excluded.code_hash,
      expires_at = excluded.expires_at
    where oauth_grants.access_hash is null`.execute(transaction)
}

/** What a client must know to use a grant. */
export interface StoredGrant {
  accountId: string
  id: string
  clientId: string
  redirectUri: string
  resource: string
  scopes: Scope[]
  codeChallenge: string
  isCodeOpen: boolean
  createdAt: Date
  refreshHash: Buffer | null
}

const stored = sql`account_id as "accountId", id, client_id as "clientId",
  redirect_uri as "redirectUri", resource, scopes, code_challenge as "codeChallenge",
  access_hash is null as "isCodeOpen", refresh_hash as "refreshHash", created_at as "createdAt"`

/** The grant of a code, a refresh token or an access token, locked; undefined if it has ended. */
export async function lockGrant(
  transaction: Transaction,
  by: 'code_hash' | 'refresh_family_hash' | 'access_hash',
  hash: Buffer,
): Promise<StoredGrant | undefined> {
  const { rows } = await sql<StoredGrant>`
    select ${stored} from oauth_grants where ${sql.ref(by)} = ${hash} and expires_at > now()
    for update`.execute(transaction)
  return rows[0]
}

export interface NewTokens {
  accessHash: Buffer
  accessScopes: readonly Scope[]
  accessSeconds: number
  familyHash: Buffer
  refreshHash: Buffer
}

/** Days without a refresh after which a grant ends, and days after which it ends in any case. */
const idleDays = 30
const longestDays = 90

export async function saveTokens(
  transaction: Transaction,
  { accountId, id, createdAt }: Pick<StoredGrant, 'accountId' | 'id' | 'createdAt'>,
  { accessHash, accessScopes, accessSeconds, familyHash, refreshHash }: NewTokens,
): Promise<void> {
  await sql`
    update oauth_grants set access_hash = ${accessHash}, access_scopes = ${[...accessScopes]},
      access_expires_at = now() + make_interval(secs => ${accessSeconds}),
      refresh_family_hash = ${familyHash}, refresh_hash = ${refreshHash}, last_used_at = now(),
      expires_at = least(now() + make_interval(days => ${sql.lit(idleDays)}),
                         ${createdAt}::timestamptz + make_interval(days => ${sql.lit(longestDays)}))
    where account_id = ${accountId} and id = ${id}`.execute(transaction)
}

/** Ends a grant; false if it had ended. */
export async function deleteGrant(
  transaction: Transaction,
  { accountId, id, userId = null }: { accountId: string; id: string; userId?: string | null },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from oauth_grants where account_id = ${accountId} and id = ${id}
      and (${userId}::text is null or user_id = ${userId})`.execute(transaction)
  return numAffectedRows > 0n
}

export interface GrantRow {
  id: string
  clientName: string
  clientHost: string
  scopes: Scope[]
  created_at: Date
  last_used_at: Date | null
  expires_at: Date
}

/** The grants of a person in an account, newest first. */
export async function listGrants(
  database: Database,
  accountId: string,
  userId: string,
): Promise<GrantRow[]> {
  const { rows } = await sql<GrantRow>`
    select id, client_name as "clientName", client_host as "clientHost", scopes, created_at,
           last_used_at, expires_at
    from oauth_grants
    where account_id = ${accountId} and user_id = ${userId} and access_hash is not null
      and expires_at > now()
    order by created_at desc, id desc limit ${sql.lit(maxGrants)}`.execute(database)
  return rows
}

export interface TokenIdentity {
  grantId: string
  userId: string
  userName: string
  accountId: string
  account: AccountState
  role: Role
  scopes: Scope[]
}

/**
 * Who access tokens for a resource belong to, in order; null for those that have ended. Updates when each grant was last
 * used, to the minute.
 */
export async function identifyTokens(
  database: Database,
  resource: string,
  accessHashes: Buffer[],
): Promise<(TokenIdentity | null)[]> {
  const { rows } = await sql<TokenIdentity & { hash: Buffer; isStale: boolean }>`
    select grants.id as "grantId", grants.user_id as "userId", users.name as "userName",
           grants.account_id as "accountId", memberships.role, access_scopes as scopes,
           access_hash as hash, ${accountState} as account,
           last_used_at < now() - interval '1 minute' as "isStale"
    from oauth_grants as grants
    join users on users.id = grants.user_id
    join memberships on memberships.account_id = grants.account_id
      and memberships.user_id = grants.user_id
    join accounts on accounts.id = grants.account_id
    where access_hash = any(${accessHashes}) and resource = ${resource}
      and access_expires_at > now() and expires_at > now()`.execute(database)
  const stale = rows.filter((row) => row.isStale).map((row) => row.hash)
  if (stale.length > 0) {
    await sql`update oauth_grants set last_used_at = now() where access_hash = any(${stale})`.execute(
      database,
    )
  }
  return accessHashes.map((accessHash) => rows.find(({ hash }) => hash.equals(accessHash)) ?? null)
}
