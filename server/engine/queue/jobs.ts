import { sql, type RawBuilder } from 'kysely'
import { isRun } from '../../db/batch.ts'
import type { OneAccount } from '../../db/one-account.ts'

/**
 * The queue: one row of `jobs` for each run that is queued or running, none for any other.
 *
 * A job only says "this run can go on"; the run's own row is the record. It is written by the statement
 * that makes the run ready and deleted by the one that lets it rest, both with the fragments below, so a
 * crash leaves no job too many and none too few. A worker takes ready jobs by fair share among accounts
 * (`ready-jobs.ts`), or has a new one from the start (`claim.ts`), and holds each by a lease, which expires unless its holder renews it (`leases.ts`).
 * A job whose lease has expired is ready again. Times are those of the database's clock.
 */
export interface Job {
  accountId: string
  runId: string
  /** What whoever made the job knows of the run, which nobody has to read then. */
  fresh?: FreshRun
}

interface FreshRun {
  workflowId: string
  input: string
  data: object | null
  tags: Record<string, string> | undefined
}

/** On which workers listen for jobs that other processes made ready. */
export const channel = 'muster_jobs'

/** Who notifies: the pool of a statement. */
export const sender = sql<string>`current_setting('muster.pool', true)`

/** Tells other processes, once a commit, that there are jobs. */
export const tellWorkers = sql`pg_notify(${sql.lit(channel)}, ${sender})::text`

/** The same of the CTE `ready`, for whoever can tell; without a payload, the pool is named. */
export const jobNotice = sql`(select ${sql.lit(channel)}, null, null from ready where is_due limit 1)`

/**
 * The body of a CTE that makes jobs ready and tells other processes. `source` selects account, run,
 * whether the run has begun, and seconds to hold the job back. A job that exists is given back. The
 * statement has to read from the CTE: what nobody reads tells nobody.
 */
export function enqueue(source: RawBuilder<unknown>, account: OneAccount): RawBuilder<unknown> {
  return sql`
    insert into jobs (account_id, run_id, begun, ready_at)
    select account_id, run_id, begun, now() + make_interval(secs => delay_seconds)
    from (${source}) as ready (account_id, run_id, begun, delay_seconds)
    on conflict (account_id, run_id) do update
      set begun = excluded.begun, ready_at = excluded.ready_at, worker = null, lease_until = null
    returning ${account === undefined ? sql`case when ready_at < now() + interval '1 ms' then ${tellWorkers} end` : sql`ready_at < now() + interval '1 ms' as is_due`}`
}

/** The body of a CTE that deletes the jobs of runs that rest. `source` selects account and run. */
export function dequeue(source: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    delete from jobs using (${source}) as resting (account_id, run_id)
    where ${isRun('jobs', 'resting')}`
}

/**
 * Nothing holds the runs of the account of a row: no suspension, and no quota that is used up. Few accounts
 * are held, so their whole list is at hand in any statement.
 */
export function isFree(table: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${table}.account_id`)} not in (
    select account_id from account_holds where until > now())`
}

/** The account of a row is not suspended, nor being deleted. */
export function isServed(table: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${table}.account_id`)} not in (
    select account_id from account_holds where reason <> 'cost')`
}
