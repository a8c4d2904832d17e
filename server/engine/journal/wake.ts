import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { execute, run } from '../../db/run.ts'

/** Delayed jobs of an account that are looked at. */
const lookedAt = 500
/** Woken runs start this far apart, so that they do not all ask the same budget at once. */
const apartMs = 20

/**
 * Makes the jobs of runs ready that a budget holds: it was changed, or, with `onlyBehindCalls`, it had no room beside the
 * estimates of calls in progress and one of these has ended. Workers find the jobs at their next poll.
 */
export async function wakeHeldByBudgets(
  database: Database | Transaction,
  accountId: string,
  { count, onlyBehindCalls }: { count: number; onlyBehindCalls: boolean },
): Promise<void> {
  const isHeld = onlyBehindCalls
    ? sql`runs.held -> 'waitsForCalls' is not null`
    : sql`runs.held ->> 'reason' = 'budget'`
  const query = sql`
    with delayed as (
      select run_id, ready_at from jobs
      where account_id = ${accountId} and worker is null and begun and ready_at > now()
      order by ready_at limit ${sql.lit(lookedAt)}
    ), woken as materialized (
      select run_id, row_number() over (order by ready_at) as number from delayed
      where exists (select from runs where runs.account_id = ${accountId} and runs.id = delayed.run_id
                      and ${isHeld})
      order by ready_at limit ${count}::int
    ), ours as (
      -- Waits for no other statement, so it never takes part in a deadlock.
      select jobs.run_id, number from jobs join woken using (run_id)
      where jobs.account_id = ${accountId} and worker is null
      for update of jobs skip locked
    )
    update jobs set ready_at = (select now()) + ours.number * ${sql.lit(apartMs)} * interval '1 millisecond'
    from ours where jobs.account_id = ${accountId} and jobs.run_id = ours.run_id`
  await execute(database, accountId, query)
}

/** Runs that ask a person because of a budget, the oldest first, locked until the transaction ends. */
export async function lockBudgetRequests(
  transaction: Transaction,
  accountId: string,
  budgetId: string,
  limit: number,
): Promise<{ runId: string; pendingId: string }[]> {
  const query = sql<{ runId: string; pendingId: string }>`
    select id as "runId", pending ->> 'id' as "pendingId" from runs
    where account_id = ${accountId} and status = 'waiting_input'
      and pending -> 'cost' -> 'budget' ->> 'id' = ${budgetId}
    order by waiting_since, id limit ${limit} for update skip locked`
  return run(transaction, accountId, query)
}
