import { sql } from 'kysely'
import { isLive } from '../accounts/account-state.ts'
import type { Database, Transaction } from '../db/client.ts'
import type { LoggedOut } from './oidc/claims.ts'
import type { Session } from './schema.ts'

/** SQL of sessions: which user is signed in to which account. */
export const sessionDays = 30

export interface NewSession {
  id: string
  userId: string
  accountId: string
  tokenHash: Buffer
  address: string | null
  userAgent: string | null
  /** Id of the session at the OpenID Connect provider, if it sends one. */
  oidcSid: string | null
}

/** Limit of sessions for a user; another one ends the oldest. */
const maxPerUser = 50

export async function insertSession(transaction: Transaction, session: NewSession): Promise<void> {
  await sql`
    with full_up as (
      delete from sessions where id in (
        select id from sessions where user_id = ${session.userId}
        order by created_at desc, id desc offset ${maxPerUser - 1})
    ), seen as (
      update users set last_signed_in_at = now() where id = ${session.userId}
    )
    insert into sessions
      (id, user_id, account_id, token_hash, expires_at, address, user_agent, oidc_sid)
    values (${session.id}, ${session.userId}, ${session.accountId}, ${session.tokenHash},
            now() + make_interval(days => ${sessionDays}), ${session.address},
            ${session.userAgent}, ${session.oidcSid})`.execute(transaction)
}

export async function moveSession(
  transaction: Transaction,
  id: string,
  accountId: string,
): Promise<void> {
  await sql`update sessions set account_id = ${accountId} where id = ${id}`.execute(transaction)
}

/** The live sessions of a user, over all accounts, newest first. */
export async function listSessions(
  database: Database,
  userId: string,
): Promise<Omit<Session, 'current'>[]> {
  const { rows } = await sql<Omit<Session, 'current'>>`
    select id, created_at, last_seen_at, expires_at, address, user_agent from sessions
    where user_id = ${userId} and ${isLive}
    order by created_at desc, id desc limit ${maxPerUser}`.execute(database)
  return rows
}

export async function deleteSession(
  transaction: Transaction,
  userId: string,
  id: string,
): Promise<boolean> {
  const { rows } = await sql`
    delete from sessions where id = ${id} and user_id = ${userId} returning id`.execute(transaction)
  return rows.length > 0
}

/**
 * Ends the sessions that a sign-out at the provider covers: one session there, or all sessions of a
 * user.
 */
export async function deleteSessionsOf(
  transaction: Transaction,
  { issuer, subject, sid }: LoggedOut,
): Promise<{ id: string; accountId: string; userId: string }[]> {
  const { rows } = await sql<{ id: string; accountId: string; userId: string }>`
    delete from sessions using users
    where users.id = sessions.user_id and oidc_issuer = ${issuer}
      and (${subject ?? null}::text is null or oidc_subject = ${subject ?? null})
      and (${sid ?? null}::text is null or oidc_sid = ${sid ?? null})
    returning sessions.id, account_id as "accountId", user_id as "userId"`.execute(transaction)
  return rows
}

/**
 * Ends the sessions of a user, in one account or in all, except one; and, unless only their role has changed, the access
 * of programs that act for them.
 */
export async function endSessions(
  transaction: Transaction,
  userId: string,
  {
    accountId = null,
    except = null,
    keepsGrants = false,
  }: { accountId?: string | null; except?: string | null; keepsGrants?: boolean } = {},
): Promise<void> {
  const isTheirs = sql`user_id = ${userId}
    and (${accountId}::text is null or account_id = ${accountId})`
  await sql`
    delete from sessions where ${isTheirs} and id is distinct from ${except}`.execute(transaction)
  if (keepsGrants) return
  await sql`delete from oauth_grants where ${isTheirs}`.execute(transaction)
}
