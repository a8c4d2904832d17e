import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import { run } from '../../db/run.ts'
import type { Usage } from '../../models/contract.ts'
import { insertMarks, marksOfCosts } from './marks.ts'
import type { RunKey } from './run.ts'
import { addUsageTo, dayOf, deltaNumber } from './usage.ts'

/**
 * Counts what model calls of a step used whose worker lost the run before that was written: on the run, the step
 * and, where that has ended, its day. Behind no fence: it is billed, whoever has the run. False where the step is
 * gone.
 */
export async function countLate(
  database: Database,
  { accountId, runId, position }: RunKey & { position: number },
  usage: Usage,
): Promise<boolean> {
  const { tokensIn, tokensOut, costUsd } = usage
  const ofStep = sql`
    steps.account_id = ${accountId} and steps.run_id = ${runId} and steps.position = ${position}`
  const query = sql`
    with changed as (
      update runs as run set ${addUsageTo(usage)}
      where account_id = ${accountId} and id = ${runId} and exists (select from steps where ${ofStep})
      returning account_id, id, run
    ), counted as (
      update steps set ${addUsageTo(usage)} from changed where ${ofStep}
      returning steps.agent_id, steps.model, steps.finished_at, (changed.run).workflow_id,
        (changed.run).tags
    ), marked as (${insertMarks(marksOfCosts)}), used as (
      insert into usage_deltas (${deltaNumber.column}account_id, day, workflow_id, agent_id, model, tags,
                                completed, failed, cancelled, steps, tokens_in, tokens_out, cost_usd)
      select ${deltaNumber.value}${accountId}, ${dayOf(sql`finished_at`)}, workflow_id, agent_id, model, tags,
             0, 0, 0, 0, ${tokensIn}::int, ${tokensOut}::int, ${costUsd}::numeric
      from counted where finished_at is not null
    )
    select 1 as one from counted`
  return (await run(database, accountId, query)).length > 0
}
