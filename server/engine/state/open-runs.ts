import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { allAccounts, run } from '../../db/run.ts'
import type { RunStatus } from './run.ts'

/** Runs that have not ended, for those who only want to know that there are some. */

export async function hasOpenRuns(
  transaction: Transaction,
  accountId: string,
  workflowId: string,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('runs')
    .select('id')
    .where('status', 'in', ['queued', 'running', 'waiting_input'])
    .where('account_id', '=', accountId)
    .where('workflow_id', '=', workflowId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Runs that have not ended, by status, over all accounts: for the metrics. Those that are queued or
 * running are the jobs, so the runs need no index for it, which every move of a run would write.
 */
export async function countOpenRuns(database: Database): Promise<Map<RunStatus, number>> {
  const query = sql<{ status: RunStatus; count: number }>`
    select case when begun or worker is not null then 'running' else 'queued' end as status,
           count(*)::int as count
    from jobs group by 1
    union all
    select 'waiting_input', count(*)::int from runs where status = 'waiting_input'`
  const counts = new Map<RunStatus, number>()
  for (const { status, count } of await run(database, allAccounts, query)) {
    counts.set(status, (counts.get(status) ?? 0) + count)
  }
  return counts
}
