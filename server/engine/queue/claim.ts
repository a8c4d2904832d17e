import { sql, type RawBuilder } from 'kysely'
import type { OneAccount } from '../../db/one-account.ts'
import { isFree, tellWorkers, type Job } from './jobs.ts'
import { leaseEnd } from './leases.ts'

/**
 * A job that its own process can begin at once is held by it from the start, in the statement that makes
 * it: it need not be fetched. That must not let anybody pass others by, so a process claims only while it
 * found nothing else to take at its last fetch, and an account only while none of its jobs waits and it has
 * no more than half of what it may have in progress: the rest is for processes that claim at the same moment.
 * What is not claimed waits for its turn like every other job.
 */
export interface Claim extends Disposable {
  readonly worker: string
  readonly leaseMs: number
  /** Jobs to claim, up to; these slots of the process are kept free until the claim is disposed. */
  readonly slots: number
  /** Jobs of an account in progress over all processes, up to; those that are put off count as well. */
  readonly perAccount: number
  /** Begins the jobs that were claimed. */
  start(jobs: Job[]): void
}

/** Where nobody carries runs, or not now. */
export const noClaim: Claim = {
  worker: '',
  leaseMs: 0,
  slots: 0,
  perAccount: 0,
  start() {},
  [Symbol.dispose]() {},
}

/**
 * CTEs that make the jobs of new runs and claim what may be claimed. `source` selects account and run. The
 * CTE `ready` has `is_held` for each; the statement has to read it.
 */
export function enqueueNew(
  source: RawBuilder<unknown>,
  claim: Claim,
  account: OneAccount,
): RawBuilder<unknown> {
  return sql`
    fresh as materialized (
      select account_id, run_id, row_number() over (order by account_id, run_id) as slot,
             row_number() over (partition by account_id order by run_id) as number
      from (${source}) as source (account_id, run_id)
    ), room as materialized (
      select account_id,
             case when exists (select from jobs where jobs.account_id = account.account_id
                                 and worker is null and ready_at <= now()) then 0
               else ${claim.perAccount}::int / 2 - (
                 select count(*) from jobs where jobs.account_id = account.account_id) end as room
      from (select distinct account_id from fresh where ${claim.slots} > 0) as account
      where ${isFree('account')}
    ), ready as (
      insert into jobs (account_id, run_id, begun, worker, lease_until)
      select account_id, run_id, is_held, case when is_held then ${claim.worker} end,
             case when is_held then ${leaseEnd(claim.leaseMs)} end
      from (select fresh.account_id, run_id,
                   slot <= ${claim.slots} and number <= coalesce(room, 0) as is_held
            from fresh left join room using (account_id)) as placed
      returning account_id, run_id, worker is not null as is_held
                ${account === undefined ? sql`, case when worker is null then ${tellWorkers} end` : sql`, worker is null as is_due`}
    )`
}
