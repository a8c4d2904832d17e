import { sql } from 'kysely'
import type { Transaction } from '../../db/client.ts'
import { execute } from '../../db/run.ts'

/** Delayed jobs of an account that are looked at. */
const lookedAt = 500
/** Woken runs start this far apart, so that they do not all ask the same budget at once. */
const apartMs = 20

/**
 * Makes the jobs of runs ready that are held because a budget has no room beside the estimates of calls in progress:
 * one of these calls has ended, or the budget is reached. Workers find the jobs at their next poll.
 */
export async function wakeWaitingForCalls(
  transaction: Transaction,
  accountId: string,
  count: number,
): Promise<void> {
  const query = sql`
    with delayed as (
      select run_id, ready_at from jobs
      where account_id = ${accountId} and worker is null and begun and ready_at > now()
      order by ready_at limit ${sql.lit(lookedAt)}
    ), woken as materialized (
      select run_id, row_number() over (order by ready_at) as number from delayed
      where exists (select from runs where runs.account_id = ${accountId} and runs.id = delayed.run_id
                      and runs.held -> 'waitsForCalls' is not null)
      order by ready_at limit ${count}::int
    ), ours as (
      -- Waits for no other statement, so it never takes part in a deadlock.
      select jobs.run_id, number from jobs join woken using (run_id)
      where jobs.account_id = ${accountId} and worker is null
      for update of jobs skip locked
    )
    update jobs set ready_at = (select now()) + ours.number * ${sql.lit(apartMs)} * interval '1 millisecond'
    from ours where jobs.account_id = ${accountId} and jobs.run_id = ours.run_id`
  await execute(transaction, accountId, query)
}
