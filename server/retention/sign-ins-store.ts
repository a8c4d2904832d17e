import { sql } from 'kysely'
import type { Database } from '../db/client.ts'

/** Rows of one statement. */
const batch = 1_000

/**
 * Deletes sessions, set-up links and windows of sign-in attempts that are over, up to 1,000 of each.
 * Returns how many; anybody can make such rows by trying to sign in.
 */
export async function pruneSignIns(database: Database): Promise<number> {
  let deleted = 0
  for (const [table, endsAt] of [
    ['sessions', 'expires_at'],
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
