import { sql } from 'kysely'
import { atHome } from '../../db/at-home.ts'
import type { Database } from '../../db/client.ts'
import { homeOf } from '../../db/home.ts'
import type { Usage } from '../../models/contract.ts'
import type { Fence } from './run.ts'
import { addUsageTo, dayOf, idOfDelta } from './usage.ts'

/**
 * Counts what model calls of a step used that were under way when its run was cancelled, on the run, the step
 * and the day on which that ended. False for a run that has not ended, or that another worker took.
 */
export async function countLate(
  database: Database,
  { accountId, runId, attempt, position }: Fence & { position: number },
  usage: Usage,
): Promise<boolean> {
  const home = homeOf(database, [{ accountId }])
  const { tokensIn, tokensOut, costUsd } = usage
  const query = sql`
    with ended as (
      update steps set ${addUsageTo(usage)}
      from (select workflow_id, tags from runs
            where account_id = ${accountId} and id = ${runId} and attempt = ${attempt}
              and finished_at is not null) as run
      where steps.account_id = ${accountId} and steps.run_id = ${runId}
        and steps.position = ${position} and steps.finished_at is not null
      returning steps.agent_id, steps.model, steps.finished_at, run.workflow_id, run.tags
    ), run as (
      update runs set ${addUsageTo(usage)}
      where account_id = ${accountId} and id = ${runId} and exists (select from ended)
    ), used as (
      insert into usage_deltas (${idOfDelta(home).name}account_id, day, workflow_id, agent_id, model, tags,
                                completed, failed, cancelled, steps, tokens_in, tokens_out, cost_usd)
      select ${idOfDelta(home).value}${accountId}, ${dayOf(sql`finished_at`)}, workflow_id, agent_id, model, tags,
             0, 0, 0, 0, ${tokensIn}::int, ${tokensOut}::int, ${costUsd}::numeric
      from ended
    )
    select 1 as one from ended`
  return (await atHome(database, home, query)).length > 0
}
