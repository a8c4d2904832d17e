import { sql } from 'kysely'
import { until } from '../../rig/until.ts'
import type { Database, Transaction } from './client.ts'
import { clusterOf } from './cluster/dialect.ts'

const blockedHere = `
  select count(*)::int as count from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

/** Counts the sessions of a test's database that wait for a lock, on all nodes. */
export async function countBlocked(database: Database): Promise<number> {
  const blocked = clusterOf(database)
    ? sql<{ count: number }>`
        select sum(result::int)::int as count from run_command_on_all_nodes(${blockedHere})`
    : sql<{ count: number }>`${sql.raw(blockedHere)}`
  const { rows } = await blocked.execute(database)
  return rows[0]?.count ?? 0
}

/**
 * Runs requests against a lock: `lock` takes it, `ask` sends requests that need it, and once all of
 * them wait, `change` may do something before the lock is released. Returns the results of the
 * requests.
 */
export async function askWhileLocked<T>(
  database: Database,
  lock: (transaction: Transaction) => Promise<unknown>,
  ask: () => Promise<T>[],
  change?: (transaction: Transaction) => Promise<unknown>,
): Promise<T[]> {
  const { asked } = await database.transaction().execute(async (transaction) => {
    await lock(transaction)
    const asked = ask()
    const areWaiting = async () => (await countBlocked(database)) >= asked.length
    await until(`${asked.length} requests wait`, 20_000, areWaiting, 10)
    await change?.(transaction)
    return { asked }
  })
  return Promise.all(asked)
}
