import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { asBytes } from '../../db/run.ts'
import { storable } from '../../safe-text.ts'
import type { WorkTable } from '../../work/table.ts'
import type { Demand } from './discover.ts'

/** SQL of logins at MCP servers, each of an account or of a person. */
export interface LoginRow {
  id: string
  connector_id: string
  /** Null for the account's login. */
  user_id: string | null
  secret: Buffer
  version: string
  expires_at: Date | null
  refresh_at: Date | null
  needs_login_since: Date | null
  why: string | null
}

export type DueLogin = Pick<LoginRow, 'id' | 'connector_id' | 'user_id' | 'secret' | 'version'> & {
  accountId: string
}

/** Logins as work: each is due when its token is to be refreshed. */
export const refreshing: WorkTable<DueLogin> = {
  name: 'connector_logins',
  isOpen: sql`item.refresh_at is not null`,
  dueAt: 'refresh_at',
  claimedUntil: 'claimed_until',
  leaseSeconds: 60,
  columns: sql`claimed.connector_id, claimed.user_id, claimed.secret, claimed.version`,
  cast: { secret: asBytes },
  settled: { columns: {} },
}

/** Id of the login of an account, or of a person, at a connector. */
export function loginId(connectorId: string, userId: string | null): string {
  return userId === null ? connectorId : `${connectorId}.${userId}`
}

/** The login of an account or of a person who still belongs to it. */
export async function findLogin(
  database: Database,
  accountId: string,
  connectorId: string,
  userId: string | null,
): Promise<LoginRow | undefined> {
  const { rows } = await sql<LoginRow>`
    select id, connector_id, user_id, secret, version, expires_at, refresh_at, needs_login_since, why
    from connector_logins as login
    where account_id = ${accountId} and id = ${loginId(connectorId, userId)}
      and (user_id is null or exists (
        select from memberships where memberships.account_id = login.account_id
          and memberships.user_id = login.user_id))`.execute(database)
  return rows[0]
}

/** Connectors at which a person is logged in. */
export async function listLoggedIn(
  database: Database,
  accountId: string,
  userId: string,
): Promise<Set<string>> {
  const { rows } = await sql<{ connector_id: string }>`
    select connector_id from connector_logins
    where account_id = ${accountId} and user_id = ${userId} and needs_login_since is null
    limit 1000`.execute(database)
  return new Set(rows.map(({ connector_id: id }) => id))
}

export interface NewTokens {
  secret: Buffer
  version: string
  /** Seconds until the token expires, and until it is refreshed; null for never. */
  expiresInSeconds: number | null
  refreshInSeconds: number | null
}

/** Stores a login that has just been made. */
export async function saveLogin(
  transaction: Transaction,
  accountId: string,
  { connectorId, userId }: { connectorId: string; userId: string | null },
  { secret, version, expiresInSeconds, refreshInSeconds }: NewTokens,
): Promise<void> {
  await sql`
    insert into connector_logins
      (account_id, id, connector_id, user_id, secret, version, expires_at, refresh_at)
    values (${accountId}, ${loginId(connectorId, userId)}, ${connectorId}, ${userId}, ${secret},
            ${version}, ${inSeconds(expiresInSeconds)}, ${inSeconds(refreshInSeconds)})
    on conflict (account_id, id) do update set
      secret = excluded.secret, version = excluded.version, expires_at = excluded.expires_at,
      refresh_at = excluded.refresh_at, claimed_until = null, needs_login_since = null, why = null,
      updated_at = excluded.updated_at`.execute(transaction)
}

/** Stores refreshed tokens, unless the login was replaced meanwhile. */
export async function renewLogin(
  database: Database,
  { accountId, id, version: before }: DueLogin,
  { secret, version, expiresInSeconds, refreshInSeconds }: NewTokens,
): Promise<void> {
  await sql`
    update connector_logins set secret = ${secret}, version = ${version},
      expires_at = ${inSeconds(expiresInSeconds)}, refresh_at = ${inSeconds(refreshInSeconds)},
      claimed_until = null, updated_at = now()
    where account_id = ${accountId} and id = ${id} and version = ${before}`.execute(database)
}

function inSeconds(seconds: number | null) {
  return seconds === null ? sql`null` : sql`now() + ${seconds}::float8 * interval '1 second'`
}

/** Ends a login; false if it was replaced meanwhile or has ended already. The account's also ends the connector's. */
export async function endLogin(
  transaction: Transaction,
  accountId: string,
  { id, version }: Pick<LoginRow, 'id' | 'version'>,
  why: string,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update connector_logins set needs_login_since = now(), why = ${storable(why).slice(0, 1_000)},
      refresh_at = null, claimed_until = null, updated_at = now()
    where account_id = ${accountId} and id = ${id} and version = ${version}
      and needs_login_since is null`.execute(transaction)
  if (numAffectedRows === 0n) return false
  await sql`
    update connectors set needs_login = true, checked_at = now(),
      failing_since = coalesce(failing_since, now()), check_message = ${storable(why).slice(0, 1_000)}
    where account_id = ${accountId} and id = ${id} and credentials is distinct from 'person'`.execute(
    transaction,
  )
  return true
}

/** Makes a refresh due now. */
export async function hastenRefresh(
  database: Database,
  accountId: string,
  { id, version }: Pick<LoginRow, 'id' | 'version'>,
): Promise<void> {
  await sql`
    update connector_logins set refresh_at = least(refresh_at, now())
    where account_id = ${accountId} and id = ${id} and version = ${version}
      and refresh_at is not null`.execute(database)
}

export async function deleteLogins(
  transaction: Transaction,
  accountId: string,
  connectorId: string,
): Promise<void> {
  await sql`
    delete from connector_logins
    where account_id = ${accountId} and connector_id = ${connectorId}`.execute(transaction)
}

/** Deletes the logins of a person who leaves the account. */
export async function deleteLoginsOf(
  transaction: Transaction,
  accountId: string,
  userId: string,
): Promise<void> {
  await sql`
    delete from connector_logins
    where account_id = ${accountId} and user_id = ${userId}`.execute(transaction)
}

/** Records what a server demands, such as more scopes. */
export async function saveDemand(
  database: Database | Transaction,
  accountId: string,
  { id, version }: { id: string; version: string },
  demand: Demand,
): Promise<void> {
  await sql`
    update connectors set oauth = ${JSON.stringify(demand)}::jsonb,
      credentials = coalesce(credentials, 'account'),
      needs_login = needs_login or oauth is null
    where account_id = ${accountId} and id = ${id} and version = ${version}`.execute(database)
}

/** Stores the authorization server and the client of a login that has begun. */
export async function saveRegistration(
  database: Database,
  accountId: string,
  { id, version }: { id: string; version: string },
  registration: Buffer,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update connectors set registration = ${registration}
    where account_id = ${accountId} and id = ${id} and version = ${version}`.execute(database)
  return numAffectedRows === 1n
}

/** The account has logged in: what was approved with another login is asked for again. */
export async function noteLoggedIn(
  transaction: Transaction,
  accountId: string,
  id: string,
  { version, isAccounts }: { version: string; isAccounts: boolean },
): Promise<void> {
  await sql`
    update connectors set needs_login = needs_login and not ${isAccounts}::boolean,
      version = case when ${isAccounts} then ${version} else version end,
      failing_since = case when ${isAccounts} then null else failing_since end,
      check_message = case when ${isAccounts} then 'The login was made' else check_message end,
      checked_at = case when ${isAccounts} then now() else checked_at end
    where account_id = ${accountId} and id = ${id}`.execute(transaction)
}
