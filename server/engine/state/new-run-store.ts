import { sql } from 'kysely'
import { fewRows } from '../../db/batch.ts'
import { insertAudit, type AuditRow } from '../../accounts/record-audit.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { atHome } from '../../db/at-home.ts'
import { homeOf } from '../../db/home.ts'
import { enqueueNew, noClaim, enqueue } from '../queue/jobs.ts'
import { currentEpoch } from './epoch-store.ts'
import { agentMark, insertMarks, marksOfTags, type Tags } from './marks.ts'
import { changedBy, recordChange, tellOthers } from './record-change.ts'
import { copyRunFiles } from './run-file-store.ts'
import { triggerers } from './run-store.ts'

/** SQL of runs as they begin: the row, its first event and its job are one statement. */
export interface NewRun {
  id: string
  accountId: string
  workflowId: string
  input: string
  data: object | null
  /** Undefined where there are none. */
  tags?: Tags | undefined
  /** The key or user, with the name of now. */
  triggeredBy: { id: string; name: string }
}

export interface TriggeredRun extends NewRun {
  /** Hash of the schema that the data was checked against; null for none. */
  checked: string | null
  audit: AuditRow | undefined
}

/** Its id follows from that of the run. */
export function firstEvent(runId: string): { id: string; type: string } {
  return { id: `evt${runId.slice(3)}`, type: 'run.queued' }
}

export type Insertion =
  /** Whether its job was claimed for this process. */
  | { kind: 'created'; createdAt: Date; isHeld: boolean }
  /** A crashed request with the same Idempotency-Key made it before. */
  | { kind: 'existed' }
  | { kind: 'no-workflow' }
  /** Its input has to fit another schema than the one that it was checked against. */
  | { kind: 'unchecked' }
  | { kind: 'paused' }

/** Inserts runs where the workflow exists and is active. Answers each in its place. */
export async function insertRuns(
  database: Database | Transaction,
  runs: TriggeredRun[],
  claim = noClaim,
): Promise<Insertion[]> {
  const home = homeOf(database, runs)
  const input = runs.map((run, number) => ({
    number,
    id: run.id,
    account_id: run.accountId,
    workflow_id: run.workflowId,
    input: run.input,
    data: run.data === null ? undefined : JSON.stringify(run.data),
    checked: run.checked ?? undefined,
    tags: run.tags,
    triggered_by: run.triggeredBy.id,
    triggerer_name: run.triggeredBy.name,
    marks: marksOfTags(run.tags),
    audit: run.audit,
  }))
  const areMarked = runs.some(({ tags }) => tags !== undefined)
  const marks = insertMarks(sql`
    select account_id, id, now(), marks from input
    where marks is not null
      and ((input.account_id, input.id) in (select account_id, id from changed)) is true`)
  // The share lock makes a deletion of the workflow wait, or be seen. What was inserted is found in the
  // batch by hash (`is true` keeps the planner from joins): for one row, it would compare each with each.
  const query = sql<Found>`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(input)}::json) as input
        (number int, id text, account_id text, workflow_id text, input text, data text,
         checked text, tags jsonb,
         marks json, triggered_by text, triggerer_name text, audit json)
      where ${fewRows}
    ), workflow as materialized (
      select workflows.account_id, workflows.id, workflows.status,
             md5(workflows.input_schema::text) as schema_hash
      from (select distinct account_id, workflow_id from input) as wanted
      join workflows on workflows.account_id = wanted.account_id
        and workflows.id = wanted.workflow_id
      order by workflows.account_id, workflows.id for key share of workflows
    ), changed as (
      insert into runs as run (account_id, id, workflow_id, input, data, tags, triggered_by, triggerer_name,
                               last_sequence, epoch)
      select input.account_id, input.id, input.workflow_id, input.input, input.data::json, input.tags,
             input.triggered_by, input.triggerer_name, 1, ${currentEpoch}
      from input
      where ((input.account_id, input.workflow_id, coalesce(input.checked, '')) in (
        select account_id, id, coalesce(schema_hash, '') from workflow where status = 'active')) is true
      on conflict (account_id, id) do nothing
      -- The id of the first event follows from that of the run.
      returning account_id, id, created_at, last_sequence, run, 1 as event_count,
        json_build_array(json_build_object(
          'id', 'evt' || substr(id, 4), 'type', 'run.queued',
          'data', case when run.tags is null then json '{}'
                       else json_build_object('tags', run.tags) end)) as events
    ), audited as (
      ${insertAudit(sql`
        select audit from input
        where ((input.account_id, input.id) in (select account_id, id from changed)) is true`)}
    )${areMarked ? sql`, marked as (${marks})` : sql``}, ${recordChange(home)}, ${enqueueNew(
      sql`select account_id, id from changed`,
      claim,
      home,
    )}
    ${home === undefined ? found : sql`select found.* ${tellOthers(home, { ready: true })} from (${found}) as found`}`
  const rows = await atHome(database, home, query, ['created_at'])
  const answers = new Map(rows.map((row) => [row.key, row]))
  return runs.map(({ accountId, id, workflowId, checked }) => {
    const workflow = answers.get(`${accountId} ${workflowId}`)
    const created = answers.get(`${accountId} ${id}`)
    if (workflow === undefined) return { kind: 'no-workflow' }
    if (created?.created_at instanceof Date) {
      return { kind: 'created', createdAt: created.created_at, isHeld: answers.has(`held ${id}`) }
    }
    if (workflow.status !== 'active') return { kind: 'paused' }
    return { kind: workflow.hash === checked ? 'existed' : 'unchecked' }
  })
}

/** Of a batch: its workflows, the runs that were made, and those whose jobs were claimed. */
const found = sql`
  select account_id || ' ' || id as key, created_at, null as status, null as hash from changed
  union all select account_id || ' ' || id, null, status, schema_hash from workflow
  union all select case when is_held then 'held ' || run_id else '' end, null, null, null from ready`

/** A run that was created, or a workflow, by account and id; a run whose job was claimed. */
interface Found {
  key: string
  created_at: Date | null
  status: string | null
  hash: string | null
}

/**
 * Copies the finished steps of a failed run, as many as there are new ids, into a new run that goes on
 * behind them. A run that a crashed request made under the same id stays as it is.
 */
export async function insertRetry(
  transaction: Transaction,
  { id, accountId, workflowId, input, tags, triggeredBy }: Omit<NewRun, 'data'>,
  originalId: string,
  newStepIds: string[],
): Promise<void> {
  const home = homeOf(transaction, [{ accountId }])
  const marks = marksOfTags(tags)
  const data = { retry_of: originalId, ...(tags && { tags }) }
  const events = [{ ...firstEvent(id), data }]
  const query = sql`
    with changed as (
      insert into runs as run (account_id, id, workflow_id, input, data, tags, retry_of, total_steps,
                               triggered_by, triggerer_name, earlier_triggerers, warnings,
                               last_sequence, epoch)
      select ${accountId}, ${id}, ${workflowId}, ${input}, data, ${tags && JSON.stringify(tags)}::jsonb,
             ${originalId}, ${newStepIds.length}, ${triggeredBy.id}, ${triggeredBy.name},
             array(select distinct unnest(${triggerers})),
             jsonb_path_query_array(warnings, '$[*] ? (@.step_order < $steps)',
                                    ${JSON.stringify({ steps: newStepIds.length })}::jsonb), 1, ${currentEpoch}
      from runs where account_id = ${accountId} and id = ${originalId}
      on conflict (account_id, id) do nothing
      returning ${changedBy(events)}
    ), copied as (
      insert into steps (account_id, run_id, position, id, role, model, agent_id, output,
                         output_json, finish_reason, reused_from, started_at, finished_at)
      select changed.account_id, changed.id, steps.position,
             (${newStepIds}::text[])[steps.position + 1], steps.role, steps.model, steps.agent_id,
             steps.output, steps.output_json, steps.finish_reason, coalesce(steps.reused_from, steps.run_id),
             steps.started_at, steps.finished_at
      from changed cross join steps
      where steps.account_id = ${accountId} and steps.run_id = ${originalId}
        and steps.output is not null and steps.position < ${newStepIds.length}
      returning account_id, run_id, agent_id
    ), filed as (
      ${copyRunFiles({ accountId, runId: originalId }, newStepIds.length)}
    ), marked as (
      ${insertMarks(sql`
        select account_id, id, (run).created_at, ${marks && JSON.stringify(marks)}::json from changed
        union all
        select changed.account_id, changed.id, (changed.run).created_at,
               json_build_array(${agentMark('')} || agent_id)
        from changed, copied where agent_id is not null`)}
    ), ${recordChange(home)}, ready as (${enqueue(
      sql`select account_id, id, false, 0 from changed`,
      home,
    )})
    select 1 as one ${tellOthers(home, { ready: true })} from ready`
  await atHome(transaction, home, query)
}
