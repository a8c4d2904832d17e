import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import type { Job } from '../queue/jobs.ts'

/** A job that no worker has, with the known reasons. */
export interface WaitingJob {
  readyAt: Date
  /** No worker takes the job before `readyAt`. */
  isPutOff: boolean
  waitedMs: number
  /** When a worker last released the run; null if none has had it. */
  restedAt: Date | null
  /** Jobs of the account that are in progress. */
  accountActive: number
  /** When the account's exhausted quota is renewed. */
  heldUntil: Date | null
  /** Why the run was delayed, if it is held. */
  held: {
    reason: 'provider_unavailable' | 'no_worker' | 'budget' | 'caller_tool'
    message: string
  } | null
  heldSince: Date | null
  /** Workers that crashed with the run since it last made progress. */
  crashCount: number
}

export async function readWaitingJob(
  database: Database,
  { accountId, runId }: Job,
): Promise<WaitingJob | undefined> {
  const { rows } = await sql<WaitingJob>`
    select ready_at as "readyAt", ready_at > now() as "isPutOff",
           (extract(epoch from now() - ready_at) * 1000)::float8 as "waitedMs",
           (select counted_to from runs
            where runs.account_id = ${accountId} and runs.id = jobs.run_id) as "restedAt",
           (select count(*)::int from jobs as taken
            where taken.worker is not null and taken.account_id = ${accountId}) as "accountActive",
           (select until from account_holds
            where account_holds.account_id = jobs.account_id and reason = 'cost' and until > now())
             as "heldUntil",
           runs.held, runs.held_since as "heldSince", runs.takes_without_progress as "crashCount"
    from jobs join runs on runs.account_id = jobs.account_id and runs.id = jobs.run_id
    where jobs.account_id = ${accountId} and jobs.run_id = ${runId} and jobs.worker is null`.execute(
    database,
  )
  return rows[0]
}
