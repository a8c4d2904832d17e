import { sql, type RawBuilder } from 'kysely'
import { isRun } from '../../db/batch.ts'
import type { ValueOf } from '../../db/statement.ts'
import { notice } from '../../db/fragments.ts'
import type { Dispatch } from './dispatch.ts'
import { leaseEnd } from './leases.ts'

/**
 * The queue: one row of `jobs` for each run that is queued or running, none for any other.
 *
 * A job only says "this run can go on"; the run's own row is the record. The statement that makes the run ready
 * writes its job, and the one that lets it rest deletes it, both with the fragments below, so a crash leaves no job
 * too many and none too few. A worker takes ready jobs by fair share among accounts (`fair-share.ts`), or claims a
 * new one from the start, and holds each by a lease, which expires unless the worker renews it (`leases.ts`). A job
 * whose lease has expired is ready again. Times are those of the database's clock.
 */
export interface Job {
  accountId: string
  runId: string
}

/** On which workers listen for jobs that other processes made ready. */
export const channel = 'muster_jobs'

/** The column has milliseconds and would round up: a job has to be due when its notice wakes a worker. */
const inWholeMs = (time: RawBuilder<unknown>) => sql`date_trunc('milliseconds', ${time})`

/**
 * The body of a CTE that makes jobs ready and tells other processes. `source` selects account, run,
 * whether the run has begun, and seconds to hold the job back. A job that exists is given back. The
 * statement has to read from the CTE, or it sends no notice.
 */
export function enqueue(source: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into jobs (account_id, run_id, begun, ready_at)
    select account_id, run_id, begun, ${inWholeMs(sql`now() + make_interval(secs => delay_seconds)`)}
    from (${source}) as ready (account_id, run_id, begun, delay_seconds)
    on conflict (account_id, run_id) do update
      set begun = excluded.begun, ready_at = excluded.ready_at, worker = null, lease_until = null
    returning ${notice({ channel, when: sql`ready_at <= now()` })}`
}

/**
 * A process claims jobs of runs that it triggers: the statement that makes such a job gives it to this process, so
 * that it need not be fetched. No account may pass others by that way. So a process claims only while its last fetch
 * found nothing else to take, and an account only while none of its jobs waits and it has no more than half of its
 * limit in progress: the rest is for processes that claim at the same moment. A job that is not claimed waits for
 * its turn like every other.
 */
export interface Claim extends Disposable {
  readonly worker: string
  readonly leaseMs: number
  /** Jobs to claim, up to; these slots of the process are kept free until the claim is disposed. */
  readonly slots: number
  /** Claims end at so many jobs of an account over all processes; those that are put off count as well. */
  readonly perAccount: number
  /** Begins the jobs that were claimed. */
  start(dispatches: Dispatch[]): void
}

/** Of the jobs that an account may have in progress, how many it may claim. */
export function claimable(perAccount: number): number {
  return Math.floor(perAccount / 2)
}

/** Of a process that executes no runs, or none now. */
export const noClaim: Claim = {
  worker: '',
  leaseMs: 0,
  slots: 0,
  perAccount: 0,
  start() {},
  [Symbol.dispose]() {},
}

/**
 * CTEs that say which jobs of new runs may be claimed. `source` selects account and run; the CTE `placed` has
 * `is_held` for each.
 */
export function place(
  source: RawBuilder<unknown>,
  { slots, perAccount }: Record<'slots' | 'perAccount', ValueOf<number>>,
): RawBuilder<unknown> {
  return sql`
    made as materialized (
      select account_id, run_id, row_number() over (order by account_id, run_id) as slot,
             row_number() over (partition by account_id order by run_id) as number
      from (${source}) as source (account_id, run_id)
    ), room as materialized (
      select account_id,
             case when exists (select from jobs where jobs.account_id = account.account_id
                                 and worker is null and ready_at <= now()) then 0
               else ${perAccount}::int - (
                 select count(*) from jobs where jobs.account_id = account.account_id) end as room
      from (select distinct account_id from made where ${slots} > 0) as account
      where ${isFree('account')}
    ), placed as materialized (
      select made.account_id, run_id,
             slot <= ${slots} and number <= coalesce(room, 0) as is_held
      from made left join room using (account_id)
    )`
}

/**
 * The body of a CTE that makes the jobs of new runs, behind those of `place`. It has `is_held` for each, and the
 * statement has to read it.
 */
export function enqueueNew(
  source: RawBuilder<unknown>,
  { worker, leaseMs }: { worker: ValueOf<string>; leaseMs: ValueOf<number> },
): RawBuilder<unknown> {
  return sql`
    insert into jobs (account_id, run_id, begun, ready_at, worker, lease_until)
    select account_id, run_id, is_held, ${inWholeMs(sql`now()`)},
           case when is_held then ${worker} end,
           case when is_held then ${leaseEnd(leaseMs)} end
    from placed where ((account_id, run_id) in (${source})) is true
    returning account_id, run_id, worker is not null as is_held,
              ${notice({ channel, when: sql`worker is null` })}`
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

/** A copy or a restored backup starts nothing by itself until an operator lets it. */
export const isHeldBack = sql<boolean>`
  exists (select 1 from epochs where deliveries_held and reason in ('restored', 'copied'))`
