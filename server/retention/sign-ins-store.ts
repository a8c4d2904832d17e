import { sql } from 'kysely'
import type { Database } from '../db/client.ts'

/** Rows per statement. */
const batch = 1_000

/**
 * Deletes sessions, grants, registered clients, set-up links and windows of attempts that are over, up to 1,000 of each.
 * Returns how many; anybody can make such rows by trying to sign in or by registering a client.
 */
export async function pruneSignIns(database: Database): Promise<number> {
  let deleted = 0
  for (const [table, endsAt] of [
    ['sessions', 'expires_at'],
    ['oauth_grants', 'expires_at'],
    ['oauth_clients', 'expires_at'],
    ['setup_links', 'expires_at'],
    ['sign_in_attempts', 'window_ends_at'],
  ] as const) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${sql.ref(endsAt)} <= now()
        order by ${sql.ref(endsAt)} limit ${sql.lit(batch)} for update skip locked))`.execute(
      database,
    )
    deleted += Number(numAffectedRows ?? 0)
  }
  return deleted
}

/** Days after their expiry for which admins still see unaccepted invitations. */
const invitationDays = 30

/**
 * Deletes invitations that expired at least 30 days ago, accepted or not, up to 1,000. Returns how
 * many. They are selected first, because every node of a cluster has a copy of the table, each with
 * other row positions.
 */
export async function pruneInvitations(database: Database): Promise<number> {
  const before = sql`now() - make_interval(days => ${sql.lit(invitationDays)})`
  // The index is by age, and none expires before it is made.
  const { rows } = await sql<{ token: Buffer }>`
    select old.token_hash as token from accounts cross join lateral (
      select token_hash from invitations
      where account_id = accounts.id and created_at < ${before} and expires_at < ${before}
      order by created_at limit ${sql.lit(batch)}
    ) as old
    limit ${sql.lit(batch)}`.execute(database)
  if (rows.length === 0) return 0
  const tokens = rows.map(({ token }) => token)
  const { numAffectedRows } = await sql`
    delete from invitations where token_hash = any(${tokens}::bytea[])`.execute(database)
  return Number(numAffectedRows ?? 0)
}
