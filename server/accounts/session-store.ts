import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import type { AccountState, Credential, Role } from '../identity.ts'
import { accountState, isLive } from './account-state.ts'

/** SQL that authenticates sessions; `people/` starts and ends them. */
export interface SessionIdentity {
  sessionId: string
  userId: string
  userName: string
  accountId: string
  account: AccountState
  role: Role
}

/**
 * The identities of session tokens, in order; null for ended sessions. Updates when each was last
 * seen, to the minute.
 */
export async function identifySessions(
  database: Database,
  tokenHashes: Buffer[],
): Promise<(SessionIdentity | null)[]> {
  const { rows } = await sql<SessionIdentity & { hash: Buffer; isStale: boolean }>`
    select sessions.id as "sessionId", sessions.user_id as "userId", users.name as "userName",
           sessions.account_id as "accountId", memberships.role, token_hash as hash,
           ${accountState} as account, last_seen_at < now() - interval '1 minute' as "isStale"
    from sessions
    join users on users.id = sessions.user_id
    join memberships on memberships.account_id = sessions.account_id
      and memberships.user_id = sessions.user_id
    join accounts on accounts.id = sessions.account_id
    where token_hash = any(${tokenHashes}) and ${isLive}`.execute(database)
  const stale = rows.filter((row) => row.isStale).map((row) => row.sessionId)
  if (stale.length > 0) {
    await sql`update sessions set last_seen_at = now() where id = any(${stale})`.execute(database)
  }
  return tokenHashes.map((tokenHash) => rows.find(({ hash }) => hash.equals(tokenHash)) ?? null)
}

/**
 * Which of these sessions have ended, switched to another account, or belong to a suspended one. A program that acts for
 * a person has a grant instead of a session.
 */
export async function findEndedSessions(
  database: Database | Transaction,
  sessions: Credential[],
): Promise<Credential[]> {
  const { rows } = await sql<Credential>`
    select account_id as "accountId", id
    from unnest(${sessions.map(({ accountId }) => accountId)}::text[],
                ${sessions.map(({ id }) => id)}::text[]) as asked (account_id, id)
    where not exists (
      select 1 from sessions join accounts on accounts.id = sessions.account_id
      where sessions.account_id = asked.account_id and sessions.id = asked.id
        and ${isLive} and accounts.suspended_at is null
    ) and not exists (
      select 1 from oauth_grants join accounts on accounts.id = oauth_grants.account_id
      where oauth_grants.account_id = asked.account_id and oauth_grants.id = asked.id
        and oauth_grants.expires_at > now() and accounts.suspended_at is null
    )`.execute(database)
  return rows
}
