import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'

/** How long an account counts as watched without being named again. */
const watchSeconds = 30

/** Marks accounts as watched; answers the number of its transaction. */
export async function watchAccounts(database: Database, accountIds: string[]): Promise<string> {
  const { rows } = await sql<{ xid: string }>`
    insert into account_watches (account_id, until)
    select id, now() + make_interval(secs => ${watchSeconds})
    from unnest(${accountIds}::text[]) as watched (id) order by id
    on conflict (account_id) do update set until = excluded.until
    returning pg_current_xact_id()::text as xid`.execute(database)
  return rows[0]?.xid ?? ''
}

/** Whether all transactions have ended that began before that one was seen, so that every later one tells. */
export async function isPast(database: Database, xid: string): Promise<boolean> {
  const { rows } = await sql<{ past: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) > ${xid}::xid8 as past`.execute(database)
  return rows[0]?.past === true
}
