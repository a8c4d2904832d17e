import { sql } from 'kysely'
import type { Transaction } from '../../db/client.ts'
import { run } from '../../db/run.ts'
import { enqueue } from '../queue/jobs.ts'
import { firstEvent, triggerers, type NewRun } from './begin.ts'
import { currentEpoch } from './epochs.ts'
import { copyRunFiles } from './files.ts'
import { changedBy, endChange, recordChange } from './record.ts'
import { agentTerm, insertSearchTerms, termsOfTags, warningTerm } from './search-terms.ts'

/** SQL of runs that continue after the first steps of another run: retries and forks. */

export interface Continuation extends Omit<NewRun, 'data' | 'workflowVersion'> {
  originalId: string
  /** Undefined to use the original's data. */
  data?: object | null | undefined
  fork?: {
    /**
     * True to execute the definition that the original froze, false for the workflow's current one.
     */
    isFrozen: boolean
  }
  /** Ids of the copied steps, in order. */
  stepIds: string[]
  /** Steps whose output is given instead of copied from the original. */
  given?: GivenStep[]
}

interface GivenStep {
  position: number
  role: string
  model: string
  agentId: string | null
  output: string
  /** JSON text. */
  outputJson: string | undefined
  reusedFrom: string | null
}

/**
 * Copies the first steps of a run into a new run that continues after them. Does nothing if a
 * crashed request already created a run with this id.
 */
export async function insertContinuation(
  transaction: Transaction,
  {
    id,
    accountId,
    workflowId,
    input,
    data,
    tags,
    triggeredBy,
    onBehalfOf,
    originalId,
    fork,
    ...rest
  }: Continuation,
): Promise<void> {
  const { stepIds, given = [] } = rest
  const steps = stepIds.length
  const marks = termsOfTags(tags)
  const first = firstEvent({ id, tags })
  const origin =
    fork === undefined ? { retry_of: originalId } : { forked_from: originalId, from_step: steps }
  const events = [{ ...first, data: { ...origin, ...first.data } }]
  const keeps = fork?.isFrozen === true
  const givenSteps = JSON.stringify(
    given.map(({ agentId, outputJson, reusedFrom, ...step }) => ({
      ...step,
      agent_id: agentId,
      output_json: outputJson,
      reused_from: reusedFrom,
    })),
  )
  const query = sql`
    with changed as (
      insert into runs as run (account_id, id, workflow_id, input, data, context, tags, retry_of, forked_from,
                               forked_step, definition_hash, workflow_version, total_steps,
                               triggered_by, triggerer_name, on_behalf_of, earlier_triggerers, warnings,
                               last_sequence, epoch)
      select ${accountId}, ${id}, ${workflowId}, ${input},
             ${data === undefined ? sql`data` : sql`${data && JSON.stringify(data)}::json`},
             context, ${tags && JSON.stringify(tags)}::jsonb,
             ${fork === undefined ? originalId : null}, ${fork === undefined ? null : originalId},
             ${fork === undefined ? null : steps}::smallint,
             ${keeps ? sql`definition_hash, workflow_version` : sql`null::bytea, null::int`}, ${steps},
             ${triggeredBy.id}, ${triggeredBy.name},
             ${onBehalfOf === undefined ? null : JSON.stringify(onBehalfOf)}::jsonb,
             array(select distinct unnest(${triggerers})),
             jsonb_path_query_array(warnings, '$[*] ? (@.step_order < $steps)',
                                    ${JSON.stringify({ steps })}::jsonb), 1, ${currentEpoch}
      from runs where account_id = ${accountId} and id = ${originalId}
      on conflict (account_id, id) do nothing
      returning ${changedBy(events)}
    ), given as (
      select * from json_to_recordset(${givenSteps}::json) as given
        (position int, role text, model text, agent_id text, output text, output_json text,
         reused_from text)
    ), copied as (
      insert into steps (account_id, run_id, position, id, role, model, agent_id, agent_version, output,
                         output_json, finish_reason, reused_from, output_given, started_at, finished_at)
      select changed.account_id, changed.id, steps.position,
             (${stepIds}::text[])[steps.position + 1], steps.role, steps.model, steps.agent_id,
             steps.agent_version, steps.output, steps.output_json, steps.finish_reason,
             coalesce(steps.reused_from, steps.run_id), steps.output_given,
             steps.started_at, steps.finished_at
      from changed cross join steps
      where steps.account_id = ${accountId} and steps.run_id = ${originalId}
        and steps.output is not null and steps.position < ${steps}
        and steps.position not in (select position from given)
      union all
      select changed.account_id, changed.id, given.position,
             (${stepIds}::text[])[given.position + 1], given.role, given.model, given.agent_id,
             null, given.output, given.output_json::json, null, given.reused_from, true, now(), now()
      from changed cross join given
      returning account_id, run_id, agent_id
    ), filed as (
      ${copyRunFiles({ accountId, runId: originalId }, steps)}
    ), marked as (
      ${insertSearchTerms(sql`
        select account_id, id, (run).created_at, ${marks && JSON.stringify(marks)}::json from changed
        union all
        select changed.account_id, changed.id, (changed.run).created_at,
               json_build_array(${agentTerm('')} || agent_id)
        from changed, copied where agent_id is not null
        union all
        select account_id, id, (run).created_at, json_build_array(${warningTerm}::text)
        from changed where jsonb_array_length((run).warnings) > 0`)}
    ), ${recordChange()}, ready as (${enqueue(sql`select account_id, id, false, 0 from changed`)})
    ${endChange(sql`select 1 as one from ready`, { ready: true })}`
  await run(transaction, accountId, query)
}
