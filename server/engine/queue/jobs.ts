import { sql, type RawBuilder } from 'kysely'
import { isRun, notice, runTable } from '../../db/fragments.ts'
import type { ValueOf } from '../../db/statement.ts'
import type { Dispatch } from './dispatch.ts'
import type { Database } from '../../db/client.ts'
import { type SweepScope, eachPart, execute, run, runEach } from '../../db/run.ts'

/**
 * The queue: one row of `jobs` for each run that is queued or running, none for any other.
 *
 * A job only says "this run can continue"; the run's own row is the record. The statement that
 * makes a run ready inserts its job, and the one that ends the run or makes it wait for a person
 * deletes it, both with the fragments below, so jobs and runs always agree, even after a crash. A
 * worker takes ready jobs by fair share among accounts (`fair-share.ts`), or claims new ones, and
 * holds each by a lease, which expires unless the worker renews it. A job with an
 * expired lease is ready again. All times are the database's.
 */
export interface Job {
  accountId: string
  runId: string
}

/** Channel on which workers are notified of jobs that other processes made ready. */
export const channel = 'muster_jobs'

/**
 * Truncated, because the column rounds to milliseconds: rounded up, a job would not be due yet when
 * its notice wakes a worker.
 */
const inWholeMs = (time: RawBuilder<unknown>) => sql`date_trunc('milliseconds', ${time})`

/**
 * Body of a CTE that makes jobs ready and notifies other processes. `source` selects account, run,
 * whether the run has started, and the delay in seconds. An existing job loses its worker. The
 * statement has to read from the CTE, or no notice is sent.
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
 * A claim on jobs of runs that this process is about to trigger: the statement that inserts such a
 * job assigns it to this process, so it need not be fetched. A claim must not let an account pass
 * others. So a process claims only while its last fetch left nothing to take, and only for accounts
 * that have no job waiting and at most half of their limit in progress; the other half is for
 * processes that claim at the same moment. An unclaimed job waits in the queue like any other.
 */
export interface Claim extends Disposable {
  readonly worker: string
  readonly leaseMs: number
  /** Maximum number of jobs to claim. These slots stay reserved until the claim is disposed. */
  readonly slots: number
  /** No claims for accounts with this many jobs over all processes, delayed ones included. */
  readonly perAccount: number
  /** Starts the claimed jobs. */
  start(dispatches: Dispatch[]): void
}

/** How many of an account's maximum jobs in progress may come from claims. */
export function claimable(perAccount: number): number {
  return Math.floor(perAccount / 2)
}

/** The claim of a process that executes no runs, or has no free slot. */
export const noClaim: Claim = {
  worker: '',
  leaseMs: 0,
  slots: 0,
  perAccount: 0,
  start() {},
  [Symbol.dispose]() {},
}

/**
 * CTEs that decide which jobs of new runs are claimed. `source` selects account and run; the CTE
 * `placed` has `is_held` for each.
 */
export function claimJobs(
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
 * Body of a CTE that inserts the jobs of new runs, after the CTEs of `claimJobs`. It returns
 * `is_held` for each, and the statement has to read it.
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

/**
 * Body of a CTE that deletes the jobs of runs that end or wait for a person. `source` selects
 * account and run.
 */
export function dequeue(source: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    delete from jobs using (${source}) as resting (account_id, run_id)
    where ${isRun('jobs', 'resting')}`
}

/**
 * Whether an account's runs may start: it is not suspended and has no exhausted quota. Few accounts
 * are held, so any statement can read the whole list.
 */
export function isFree(table: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${table}.account_id`)} not in (
    select account_id from account_holds where until > now())`
}

/**
 * Leases of jobs. Nothing here waits for a locked row: a job that another statement is changing
 * needs neither renewal nor sweep, and so leases never take part in a deadlock. Rows are found by
 * ctid: the planner would read the whole table for a join with an unknown number of rows.
 */
export interface LeaseTimes {
  leaseMs: number
  renewMs: number
  sweepMs: number
  /** How often a worker looks for jobs without a notice. */
  pollMs: number
}

/**
 * A lease of 4 s is renewed every second, so that a busy worker keeps it, and swept and polled for
 * twice a second, so that the runs of a killed worker continue within 5 s.
 */
export function leaseTimes(leaseMs: number): LeaseTimes {
  return {
    leaseMs,
    renewMs: leaseMs / 4,
    sweepMs: leaseMs / 8,
    pollMs: Math.min(500, leaseMs / 8),
  }
}

/** Whether a worker holds a job ('' for none), written so that no index on workers is used. */
export function heldBy(worker: ValueOf<string>): RawBuilder<boolean> {
  return sql<boolean>`coalesce(jobs.worker, '') = ${worker}`
}

/** When a lease expires that is taken or renewed now. */
export function leaseEnd(leaseMs: ValueOf<number>): RawBuilder<Date> {
  return sql<Date>`now() + make_interval(secs => ${leaseMs}::float8 / 1000)`
}

/**
 * Renews the leases of these jobs. Returns the runs whose jobs no other worker took: a job that
 * became ready is not lost, because this worker may take it again.
 */
export async function renewLeases(
  database: Database,
  worker: string,
  jobs: Job[],
  leaseMs: number,
): Promise<Set<string>> {
  return new Set(await runEach(database, jobs, (part) => renew(database, worker, part, leaseMs)))
}

async function renew(
  database: Database,
  worker: string,
  jobs: Job[],
  leaseMs: number,
): Promise<string[]> {
  // Only named jobs are renewed: a job that the worker took without learning of it (its response
  // was lost) must expire.
  const query = sql<{ run_id: string }>`
    with held as materialized (
      select jobs.ctid as place, jobs.run_id from ${runTable(jobs)} as named
      join jobs on ${isRun('jobs', 'named', 'id')}
      where jobs.worker = ${worker} or jobs.worker is null
    ), renewed as (
      update jobs set lease_until = ${leaseEnd(leaseMs)}
      where ctid = any(array(
        select ctid from jobs
        where ctid = any(array(select place from held)) and ${heldBy(worker)}
        for update skip locked))
    )
    select run_id from held`
  const rows = await run(database, jobs, query)
  return rows.map((row) => row.run_id)
}

/** Returns jobs that the worker holds to the queue; they are ready after their delay. */
export async function releaseJobs(
  database: Database,
  worker: string,
  jobs: (Job & { delayMs: number })[],
): Promise<void> {
  await runEach(database, jobs, (part) => releasePart(database, worker, part))
}

async function releasePart(
  database: Database,
  worker: string,
  jobs: (Job & { delayMs: number })[],
): Promise<never[]> {
  const input = JSON.stringify(
    jobs.map(({ accountId, runId, delayMs }) => ({
      account_id: accountId,
      run_id: runId,
      delay_ms: delayMs,
    })),
  )
  const query = sql`
    update jobs set worker = null, lease_until = null,
      ready_at = (select now() + make_interval(secs => input.delay_ms / 1000))
    from json_to_recordset(${input}::json) as input (account_id text, run_id text, delay_ms float8)
    where ${isRun('jobs', 'input', 'run_id')} and ${heldBy(worker)}`
  await execute(database, jobs, query)
  return []
}

/** Makes jobs with expired leases ready. Returns how many. */
export async function sweepLeases(database: Database): Promise<number> {
  return makeReady(database, sql`lease_until < now()`)
}

/** Makes the jobs of these workers ready, whenever their leases end. Returns how many. */
export async function releaseJobsOf(database: Database, workers: string[]): Promise<number> {
  return makeReady(database, sql`worker = any(${workers})`)
}

/** Makes all jobs ready, whichever worker holds them. */
export async function releaseAllJobs(database: Database): Promise<number> {
  return makeReady(database, sql`true`)
}

async function makeReady(database: Database, which: RawBuilder<unknown>): Promise<number> {
  return eachPart(database, sql`jobs where worker is not null and ${which}`, (scope) =>
    makeReadyPart(database, which, scope),
  )
}

async function makeReadyPart(
  database: Database,
  which: RawBuilder<unknown>,
  scope: SweepScope,
): Promise<number> {
  const query = sql`
    update jobs set worker = null, lease_until = null
    where ctid = any(array(
      select ctid from jobs where worker is not null and ${which} for update skip locked))
    returning 1 as one`
  return (await run(database, scope, query)).length
}
