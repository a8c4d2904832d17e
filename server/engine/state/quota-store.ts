import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'

/**
 * SQL of quotas that an operator gave an account. What is used is counted on one row, so that no process
 * overshoots; an account without quotas has none, and pays nothing for others.
 */

/** Whether runs of an account rest, and whether what its model calls cost is counted. */
export interface Gate {
  isHeld: boolean
  hasCostQuota: boolean
}

export async function readGates(
  database: Database,
  accountIds: string[],
): Promise<(Gate | undefined)[]> {
  const { rows } = await sql<Gate & { id: string }>`
    select id, coalesce(max_cost_usd_a_day, max_cost_usd_a_month) is not null as "hasCostQuota",
           exists (select from account_holds
                   where account_id = accounts.id and until > now()) as "isHeld"
    from accounts where id = any(${accountIds})`.execute(database)
  const gates = new Map(rows.map((row) => [row.id, row]))
  return accountIds.map((id) => gates.get(id))
}

const today = sql`(now() at time zone 'UTC')::date`
/** Counts of a day or a month that is over are zero. */
const isToday = sql`quota_counts.day = ${today}`
const isThisMonth = sql`date_trunc('month', quota_counts.day) = date_trunc('month', ${today})`
/** The same of the row that an insert has met, whose own day is today. */
const metToday = sql`quota_counts.day = excluded.day`
const metThisMonth = sql`
  date_trunc('month', quota_counts.day::timestamp) = date_trunc('month', excluded.day::timestamp)`

/** Adds what a model call has cost. */
export async function countCost(
  database: Database,
  accountId: string,
  costUsd: number,
): Promise<void> {
  await sql`
    insert into quota_counts (account_id, day, runs, cost_usd_of_day, cost_usd_of_month)
    values (${accountId}, ${today}, 0, ${costUsd}, ${costUsd})
    on conflict (account_id) do update
    set day = excluded.day, runs = case when ${metToday} then quota_counts.runs else 0 end,
        cost_usd_of_day = ${costUsd} + case when ${metToday} then quota_counts.cost_usd_of_day else 0 end,
        cost_usd_of_month =
          ${costUsd} + case when ${metThisMonth} then quota_counts.cost_usd_of_month else 0 end
    `.execute(database)
}

/** Whether an account may make another model call; where not, its runs rest until the day or month ends. */
export async function mayCost(database: Database, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    with used as (
      select ${isThisMonth} and cost_usd_of_month >= max_cost_usd_a_month as "isMonthOver",
             ${isToday} and cost_usd_of_day >= max_cost_usd_a_day as "isDayOver"
      from quota_counts join accounts on accounts.id = account_id where account_id = ${accountId}
    )
    insert into account_holds (account_id, reason, until)
    select ${accountId}, 'cost',
           (case when "isMonthOver" then date_trunc('month', ${today}) + interval '1 month'
                 else ${today} + interval '1 day' end)::timestamp at time zone 'UTC'
    from used where "isMonthOver" or "isDayOver"
    on conflict (account_id, reason) do update set until = excluded.until
    returning until`.execute(database)
  return rows.length === 0
}

export type RunQuota = 'counted' | { max: number; what: 'runs a day' | 'stored bytes' }

/** Counts a run that the transaction makes, unless the account has had as many or stores too much. */
export async function countRun(transaction: Transaction, accountId: string): Promise<RunQuota> {
  await sql`
    insert into quota_counts (account_id, day, runs, cost_usd_of_day, cost_usd_of_month)
    values (${accountId}, ${today}, 0, 0, 0)
    on conflict (account_id) do update
    set day = excluded.day, runs = case when ${metToday} then quota_counts.runs else 0 end,
        cost_usd_of_day = case when ${metToday} then quota_counts.cost_usd_of_day else 0 end,
        cost_usd_of_month = case when ${metThisMonth} then quota_counts.cost_usd_of_month else 0 end
    `.execute(transaction)
  // A statement of its own: behind the lock it sees what others have counted.
  const { rows } = await sql<{
    runs: number
    max: number | null
    bytes: number | null
    maxBytes: number | null
  }>`
    update quota_counts set runs = runs + 1 from accounts
    where account_id = ${accountId} and accounts.id = account_id
    returning runs, max_runs_a_day as max, stored_bytes as bytes, max_stored_bytes as "maxBytes"
    `.execute(transaction)
  const [row] = rows
  if (row?.max != null && row.runs > row.max) return { max: row.max, what: 'runs a day' }
  if (row?.maxBytes != null && (row.bytes ?? 0) >= row.maxBytes) {
    return { max: row.maxBytes, what: 'stored bytes' }
  }
  return 'counted'
}
