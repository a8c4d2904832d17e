import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import type { OperatedAccount } from './schema.ts'
import { countTriggeredSince } from '../engine/reads/runs.ts'

/** SQL of the usage of accounts with quotas; workers count in `engine/safety/quotas.ts`. */
const today = sql`(now() at time zone 'UTC')::date`

/** Initializes the counts for a new quota with the usage of the current day and month. */
export async function startCounting(
  transaction: Transaction,
  before: OperatedAccount,
  after: OperatedAccount,
): Promise<void> {
  const hasCost = (one: OperatedAccount) =>
    one.max_cost_usd_a_day !== null || one.max_cost_usd_a_month !== null
  const countsRuns = before.max_runs_a_day === null && after.max_runs_a_day !== null
  const countsCost = !hasCost(before) && hasCost(after)
  if (!countsRuns && !countsCost) return
  const { id } = after
  await sql`
    insert into quota_counts (account_id, day, runs, cost_usd_of_day, cost_usd_of_month)
    values (${id}, ${today}, 0, 0, 0)
    on conflict (account_id) do update
    set day = excluded.day,
        runs = case when quota_counts.day = excluded.day then quota_counts.runs else 0 end`.execute(
    transaction,
  )
  if (countsRuns) {
    await sql`
      update quota_counts set runs = ${countTriggeredSince(id, sql`${today}::timestamp at time zone 'UTC'`)}
      where account_id = ${id}`.execute(transaction)
  }
  if (countsCost) {
    await sql`
      with spent as (
        select day, cost_usd from usage_days
        where account_id = ${id} and dimension = 'day' and day >= date_trunc('month', ${today})
        union all
        select day, cost_usd from usage_deltas
        where account_id = ${id} and day >= date_trunc('month', ${today})
      )
      update quota_counts
      set cost_usd_of_day = coalesce((select sum(cost_usd) from spent where day = ${today}), 0),
          cost_usd_of_month = coalesce((select sum(cost_usd) from spent), 0)
      where account_id = ${id}`.execute(transaction)
  }
}

/**
 * An account with a storage quota that was not measured recently. Accounts that use more than half
 * of it are measured ten times as often, because they may soon exceed it. Chosen at random, so that
 * an account that is too large to be measured does not block the others.
 */
export async function findToMeasure(
  database: Database,
  afterMinutes: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts
    where max_stored_bytes is not null and deleted_at is null
      and coalesce(stored_bytes_at < now() - make_interval(secs => ${afterMinutes}::int
            * case when stored_bytes > max_stored_bytes / 2 then 6 else 60 end), true)
    order by random() limit 1`.execute(database)
  return rows[0]?.id
}

export async function saveStoredBytes(
  database: Database,
  accountId: string,
  bytes: number,
): Promise<void> {
  await sql`
    update accounts set stored_bytes = ${bytes}, stored_bytes_at = now()
    where id = ${accountId}`.execute(database)
}
