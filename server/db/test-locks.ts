import { sql } from 'kysely'
import type { Database } from './client.ts'
import { isSpread } from './spread-dialect.ts'

const blockedHere = `
  select count(*)::int as count from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

/** How many sessions of a test's database wait for a lock, on any of its nodes. */
export async function countBlocked(database: Database): Promise<number> {
  const blocked = isSpread(database)
    ? sql<{ count: number }>`
        select sum(result::int)::int as count from run_command_on_all_nodes(${blockedHere})`
    : sql<{ count: number }>`${sql.raw(blockedHere)}`
  const { rows } = await blocked.execute(database)
  return rows[0]?.count ?? 0
}
