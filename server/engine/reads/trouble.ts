import { sql, type RawBuilder } from 'kysely'
import type { Transaction } from '../../db/client.ts'
import { asTime, run } from '../../db/run.ts'

/** Reads of failed and stalled runs, for alerts. Each reads at most this many runs, the newest. */
const maxRuns = 1_000

export interface TroubledRun {
  runId: string
  workflowName: string
  error: string | null
  at: Date
}

interface Which {
  since: Date
  workflowIds: string[] | null
}

const isOf = (workflowIds: string[] | null): RawBuilder<boolean> => sql<boolean>`
  (${workflowIds}::text[] is null or workflow_id = any (${workflowIds}::text[]))`

const named = sql`coalesce((
  select name from workflows where workflows.account_id = found.account_id
    and workflows.id = found.workflow_id), found.workflow_id)`

/** Runs that failed after a time, newest first, without cancelled ones. */
export async function findFailedSince(
  transaction: Transaction,
  accountId: string,
  { since, workflowIds }: Which,
): Promise<TroubledRun[]> {
  const query = sql<TroubledRun>`
    select id as "runId", ${named} as "workflowName", left(error, 300) as error, finished_at as at
    from (select * from runs where account_id = ${accountId} and status = 'failed'
          order by created_at desc, id desc limit ${sql.lit(maxRuns)}) as found
    where finished_at > ${since} and error_code <> 'cancelled' and ${isOf(workflowIds)}
    order by finished_at desc`
  return run(transaction, accountId, query, { at: asTime })
}

/** How many runs ended after a time, and how many of them failed, without cancelled ones. */
export async function countEndedSince(
  transaction: Transaction,
  accountId: string,
  { since, workflowIds }: Which,
): Promise<{ ended: number; failed: number }> {
  const newest = (status: 'completed' | 'failed') => sql`
    (select status, error_code, finished_at, workflow_id from runs
     where account_id = ${accountId} and status = ${sql.lit(status)}
     order by created_at desc, id desc limit ${sql.lit(maxRuns)})`
  const { rows } = await sql<{ ended: number; failed: number }>`
    select count(*)::int as ended, count(*) filter (where status = 'failed')::int as failed
    from (${newest('completed')} union all ${newest('failed')}) as found
    where finished_at > ${since} and error_code is distinct from 'cancelled'
      and ${isOf(workflowIds)}`.execute(transaction)
  return rows[0] ?? { ended: 0, failed: 0 }
}

/**
 * Runs that have waited for this many minutes now, but had not at the time `since`; the longest
 * wait first.
 */
export async function findWaitingLong(
  transaction: Transaction,
  accountId: string,
  { since, workflowIds, minutes }: Which & { minutes: number },
): Promise<TroubledRun[]> {
  const waited = sql`make_interval(mins => ${minutes})`
  const query = sql<TroubledRun>`
    select id as "runId", ${named} as "workflowName", left(pending ->> 'prompt', 300) as error,
           waiting_since as at
    from runs as found
    where account_id = ${accountId} and status = 'waiting_input' and ${isOf(workflowIds)}
      and waiting_since between ${since}::timestamptz - ${waited} and now() - ${waited}
    order by waiting_since limit ${sql.lit(maxRuns)}`
  return run(transaction, accountId, query, { at: asTime })
}
