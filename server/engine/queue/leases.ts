import { sql, type RawBuilder } from 'kysely'
import { isRun, runTable } from '../../db/fragments.ts'
import type { Database } from '../../db/client.ts'
import type { ValueOf } from '../../db/statement.ts'
import { type SweepScope, eachPart, execute, run, runEach } from '../../db/run.ts'
import type { Job } from './jobs.ts'

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
export async function putBack(
  database: Database,
  worker: string,
  jobs: (Job & { delayMs: number })[],
): Promise<void> {
  await runEach(database, jobs, (part) => putBackSome(database, worker, part))
}

async function putBackSome(
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
  return giveBack(database, sql`lease_until < now()`)
}

/** Makes all jobs ready, whichever worker holds them. */
export async function giveBackAll(database: Database): Promise<number> {
  return giveBack(database, sql`true`)
}

async function giveBack(database: Database, which: RawBuilder<unknown>): Promise<number> {
  return eachPart(database, sql`jobs where worker is not null and ${which}`, (scope) =>
    giveBackPart(database, which, scope),
  )
}

async function giveBackPart(
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
