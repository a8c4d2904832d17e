import { sql } from 'kysely'
import { fewRows } from '../../db/fragments.ts'
import { insertAudit, type AuditRow } from '../../audit/record.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { statement, type Given } from '../../db/statement.ts'
import { asTime, run } from '../../db/run.ts'
import { enqueueNew, noClaim, claimJobs } from '../queue/jobs.ts'
import { insertSearchTerms, termsOfNewRun, type Tags } from './search-terms.ts'
import type { Dispatch, Start } from '../queue/dispatch.ts'
import { endChange, recordChange } from './record.ts'
import { attemptFloor, currentEpoch } from './epochs.ts'
import { workflowState } from './definitions.ts'
import {
  givenNames,
  givenTypes,
  givenValues,
  type GivenColumn,
  type Person,
} from '../run/fields.ts'
import type { RunEvent } from '../run/step.ts'

/**
 * SQL that creates runs. One statement writes the row, its first event and its job. If this process
 * claims the job and already knows the definition, the same statement also takes the run and starts
 * its first step.
 */
export interface NewRun {
  id: string
  accountId: string
  workflowId: string
  input: string
  data: object | null
  /** The version to execute; undefined for the version that is live when the run starts. */
  workflowVersion?: number | undefined
  /** Undefined if the run has no tags. */
  tags?: Tags | undefined
  /** Undefined if the run is no turn of a thread. */
  turn?: Turn | undefined
  /** The key or user that triggered the run, with its name at that time. */
  triggeredBy: Person
  /** The people behind a schedule, a hook or the like that triggered the run. */
  onBehalfOf?: Person[] | undefined
}

/** The turn of a thread that a run is. */
export interface Turn {
  threadId: string
  number: number
  /** Text of the earlier turns; null for none. */
  context: string | null
}

export interface TriggeredRun extends NewRun {
  /** Hash of the input schema that the data was checked against; null if the workflow had none. */
  checked: string | null
  /** The account's default model at the time of the trigger. */
  defaultModel: string
  audit: AuditRow | undefined
  /** What the run starts with at once, if its job is claimed by this process. */
  start?: Start | undefined
}

/** The event id is derived from the run id. */
export function firstEvent({ id, tags }: Pick<NewRun, 'id' | 'tags'>): RunEvent {
  return { id: `evt${id.slice(3)}`, type: 'run.queued', data: tags === undefined ? {} : { tags } }
}

export type Insertion =
  /**
   * `isHeld`: this process claimed the run's job. `attempt` is its fence if it has started, else 0.
   */
  | { kind: 'created'; createdAt: Date; isHeld: boolean; attempt: number }
  /** An earlier, crashed request with the same Idempotency-Key created this run. */
  | { kind: 'existed' }
  | { kind: 'no-workflow' }
  /** The workflow's input schema changed after the data was checked. */
  | { kind: 'unchecked' }
  | { kind: 'paused' }

/** Inserts runs whose workflow exists and is active. Results are in the order of the input. */
export async function insertRuns(
  database: Database | Transaction,
  runs: TriggeredRun[],
  claim = noClaim,
): Promise<Insertion[]> {
  const input = runs.map((run, number) => {
    const { start } = run
    const events = [firstEvent(run), ...(start?.events ?? [])]
    return {
      number,
      id: run.id,
      account_id: run.accountId,
      workflow_id: run.workflowId,
      checked: run.checked ?? undefined,
      workflow_version: run.workflowVersion,
      state: start?.state,
      begun_version: start?.version,
      event_count: events.length,
      events,
      hash: start?.definition.hash,
      step_id: start?.step.id,
      role: start?.step.role,
      model: start?.step.model,
      input: run.input,
      data: run.data === null ? undefined : JSON.stringify(run.data),
      tags: run.tags,
      thread_id: run.turn?.threadId,
      turn: run.turn?.number,
      context: run.turn?.context ?? undefined,
      triggered_by: run.triggeredBy.id,
      triggerer_name: run.triggeredBy.name,
      on_behalf_of: run.onBehalfOf,
      marks: termsOfNewRun(run),
      audit: run.audit,
    } satisfies Record<GivenColumn, unknown> & Record<string, unknown>
  })
  const shape = {
    hasTerms: runs.some(({ tags, turn }) => tags !== undefined || turn !== undefined),
    mayBegin: runs.some(({ start }) => start !== undefined),
    hasVersions: runs.some(({ workflowVersion }) => workflowVersion !== undefined),
  }
  const { slots, perAccount, worker, leaseMs } = claim
  const values = { input: JSON.stringify(input), slots, perAccount, worker, leaseMs }
  const query = insertion(values, shape)
  const rows = await run(database, runs, query, { created_at: asTime })
  const answers = new Map(rows.map((row) => [row.key, row]))
  return runs.map(({ accountId, id, workflowId, checked }) => {
    const workflow = answers.get(`${accountId} ${workflowId}`)
    const created = answers.get(`${accountId} ${id}`)
    if (workflow === undefined) return { kind: 'no-workflow' }
    if (created?.created_at instanceof Date) {
      const { created_at: createdAt, attempt } = created
      return { kind: 'created', createdAt, attempt, isHeld: answers.has(`held ${id}`) }
    }
    if (workflow.status !== 'active') return { kind: 'paused' }
    return { kind: workflow.hash === checked ? 'existed' : 'unchecked' }
  })
}

/**
 * How a triggered run reaches this process's worker; undefined if another process has to execute
 * it.
 */
export function dispatchOf(
  run: TriggeredRun,
  insertion: Insertion | undefined,
): Dispatch | undefined {
  if (insertion?.kind !== 'created' || !insertion.isHeld) return undefined
  const { accountId, id: runId, workflowId, workflowVersion, input, data, tags, turn, start } = run
  const { attempt } = insertion
  const job = { accountId, runId, run: { workflowId, workflowVersion, input, data, tags, turn } }
  return start === undefined || attempt === 0
    ? { ...job, kind: 'local' }
    : { ...job, kind: 'started', start, attempt }
}

// The share lock makes a deletion of the workflow wait, or be seen. Membership in the batch is
// tested by hash (`is true` keeps the planner from choosing a join, which compares every row with
// every row because it expects one row).
const insertion = statement(
  (
    given: Given<{
      input: string
      slots: number
      perAccount: number
      worker: string
      leaseMs: number
    }>,
    {
      hasTerms,
      mayBegin,
      hasVersions,
    }: { hasTerms: boolean; mayBegin: boolean; hasVersions: boolean },
  ) => sql<Found>`
    with input as materialized (
      select * from json_to_recordset(${given.input}::json) as input
        (number int, ${sql.raw(givenTypes)}, checked text, state text, begun_version int, event_count int, events json,
         hash text, step_id text, role text, model text, marks json, audit json)
      where ${fewRows}
    ), workflow as materialized (
      select workflows.account_id, workflows.id, workflows.status,
             md5(workflows.input_schema::text) as schema_hash,
             ${mayBegin ? stateToBegin : sql`null::text`} as state
      from (select distinct account_id, workflow_id from input) as wanted
      join workflows on workflows.account_id = wanted.account_id
        and workflows.id = wanted.workflow_id
      order by workflows.account_id, workflows.id for key share of workflows
    ), ${claimJobs(
      sql`
        select account_id, id from input
        where ((input.account_id, input.workflow_id, coalesce(input.checked, '')) in (
            select account_id, id, coalesce(schema_hash, '') from workflow where status = 'active')) is true
          ${hasVersions ? ofActiveWorkflow : sql``}`,
      given,
    )}, inserted as (
      insert into runs as run (${sql.raw(givenNames)}, epoch, last_sequence, status, attempt, takes_without_progress, started_at,
                               counted_to, definition_hash)
      select ${sql.raw(givenValues)}, ${currentEpoch},
             case when begins then event_count else 1 end,
             case when begins then 'running' else 'queued' end,
             case when begins then ${attemptFloor} + 1 else 0 end,
             begins::int,
             case when begins then now() end,
             case when begins then now() end,
             case when begins then decode(hash, 'hex') end
      from (
        select *, (state in (select state from workflow)) is true
                  and ((account_id, id) in (select account_id, run_id from placed where is_held)) is true
                  as begins
        from input where ((account_id, id) in (select account_id, run_id from placed)) is true
        offset 0) as placed_input
      on conflict (account_id, id) do nothing
      returning account_id, id, created_at, attempt, last_sequence, run
    ), changed as (
      select inserted.*, inserted.last_sequence as event_count,
             case when attempt = 0 then json_build_array(events -> 0) else events end as events
      from inserted join input using (account_id, id)
    ), audited as (
      ${insertAudit(sql`
        select audit from input
        where ((input.account_id, input.id) in (select account_id, id from changed)) is true`)}
    )${hasTerms ? sql`, marked as (${termsOfNew})` : sql``}${mayBegin ? sql`, opened as (${openFirstSteps})` : sql``},
    ${recordChange()}, ready as (${enqueueNew(sql`select account_id, id from inserted`, given)})
    ${endChange(found, { ready: true })}`,
)

/** A pinned version never changes, so data that was checked against it needs no second check. */
const ofActiveWorkflow = sql`
  or (input.workflow_version is not null and ((input.account_id, input.workflow_id) in (
        select account_id, id from workflow where status = 'active')) is true)`

const termsOfNew = insertSearchTerms(sql`
  select account_id, id, now(), marks from input
  where marks is not null
    and ((input.account_id, input.id) in (select account_id, id from changed)) is true`)

/**
 * Null for a workflow with memory: its entries have to be recalled first, so its runs cannot start
 * here.
 */
const stateToBegin = sql`
  case when not exists (
    select from memory_entries as entry
    where entry.account_id = workflows.account_id and entry.workflow_id = workflows.id)
  then ${workflowState} end`

const openFirstSteps = sql`
  insert into steps (account_id, run_id, position, id, role, model)
  select account_id, id, 0, step_id, role, model from input
  where ((account_id, id) in (select account_id, id from inserted where attempt > 0)) is true`

/**
 * The outcome of a batch: its workflows, the runs that were created, and the runs whose jobs were
 * claimed.
 */
const found = sql<Found>`
  select account_id || ' ' || id as key, created_at, attempt, null as status, null as hash from inserted
  union all select account_id || ' ' || id, null, 0, status, schema_hash from workflow
  union all select case when is_held then 'held ' || run_id else '' end, null, 0, null, null from ready`

/**
 * A workflow or a created run, by `account id`; or `held` and the id of a run whose job was
 * claimed.
 */
interface Found {
  key: string
  created_at: Date | null
  attempt: number
  status: string | null
  hash: string | null
}

/**
 * Ids of the actors that triggered a run or a run that it retries, and of the people behind them,
 * from the table `runs`.
 */
export const triggerers = sql.raw(`array_remove(
  earlier_triggerers || triggered_by
  || array(select person ->> 'id' from jsonb_array_elements(on_behalf_of) as person), null)`)
