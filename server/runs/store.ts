import { sql } from 'kysely'
import { insertAudit, type AuditRow } from '../accounts/record-audit.ts'
import type { Database, Transaction } from '../db/client.ts'
import { behind, type Cursor } from '../db/keyset.ts'
import { appendEvents } from '../engine/state/event-log.ts'
import { notifyOf, writeJobs } from '../engine/queue/new-jobs.ts'
import { runEvent, runStatuses, type EndingStep, type RunStatus } from '../engine/state/run.ts'
import type { PendingRequest } from '../engine/state/pending.ts'
import { columns, toRun, toSteps, type CallRow, type RunRow, type StepRow } from './rows.ts'
import type { Run, RunWithSteps, WaitingRun } from './schema.ts'

/** SQL of runs as their account sees them; `execution-store.ts` has what the executor needs. */
export interface TriggerRequest {
  id: string
  accountId: string
  workflowId: string
  input: string
  audit: AuditRow | undefined
}

export type TriggerResult =
  | { kind: 'created'; run: Run }
  /** A crashed request with the same Idempotency-Key made it before. */
  | { kind: 'existed' }
  | { kind: 'no-workflow' }
  | { kind: 'paused' }

/** Inserts runs, their first events and their jobs, where the workflow exists and is active. */
export async function insertRuns(
  database: Database,
  requests: TriggerRequest[],
): Promise<TriggerResult[]> {
  const input = requests.map((request, number) => ({
    number,
    id: request.id,
    account_id: request.accountId,
    workflow_id: request.workflowId,
    input: request.input,
    events: [runEvent('run.queued')],
    audit: request.audit,
  }))
  // The share lock makes a deletion of the workflow wait, or be seen.
  const { rows } = await sql<{ workflow_status: string | null; created_at: Date | null }>`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(input)}::json) as input
        (number int, id text, account_id text, workflow_id text, input text, events json,
         audit json)
    ), workflow as materialized (
      select id, account_id, status from workflows
      where id in (select workflow_id from input)
      order by id for key share
    ), created as (
      insert into runs (id, account_id, workflow_id, input, last_sequence)
      select input.id, input.account_id, input.workflow_id, input.input, 1
      from input join workflow on workflow.id = input.workflow_id
        and workflow.account_id = input.account_id and workflow.status = 'active'
      on conflict (id) do nothing
      returning id, account_id, created_at, last_sequence
    ), changed as (
      select created.*, input.events from created join input using (id)
    ), audited as (${insertAudit(sql`select audit from created join input using (id)`)}
    ), logged as (${appendEvents('changed')}
    ), jobs as (
      select id as key, 0 as generation, account_id as group_id, 0 as delay_seconds from created
    ), queued as (${writeJobs('jobs')}
    ), notified as (${notifyOf('queued')})
    select workflow.status as workflow_status, created.created_at,
           (select count(*) from notified) as notified
    from input
    left join workflow on workflow.id = input.workflow_id
      and workflow.account_id = input.account_id
    left join created on created.id = input.id
    order by input.number`.execute(database)
  return rows.map((row, number) => {
    if (row.workflow_status === null) return { kind: 'no-workflow' }
    if (row.created_at !== null) {
      return { kind: 'created', run: queuedRun(requests[number] as TriggerRequest, row.created_at) }
    }
    return { kind: row.workflow_status === 'active' ? 'existed' : 'paused' }
  })
}

export async function findRun(
  database: Database | Transaction,
  accountId: string,
  id: string,
): Promise<Run | undefined> {
  const row = await database
    .selectFrom('runs')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toRun(row)
}

/** A run with its steps, from one snapshot. */
export async function findRunWithSteps(
  database: Database,
  accountId: string,
  id: string,
): Promise<RunWithSteps | undefined> {
  const { rows } = await sql<RunRow & { steps: StepRow[] | null; calls: CallRow[] | null }>`
    select ${sql.join(columns.map((column) => sql.ref(`runs.${column}`)))},
           (select json_agg(steps order by steps.position) from steps
            where steps.run_id = runs.id) as steps,
           (select json_agg(tool_calls order by step_position, turn, position) from tool_calls
            where tool_calls.run_id = runs.id) as calls
    from runs
    where runs.account_id = ${accountId} and runs.id = ${id}`.execute(database)
  const [row] = rows
  if (row === undefined) return undefined
  const { steps, calls, ...fields } = row
  return { ...toRun(fields), steps: toSteps(row.input, steps ?? [], calls ?? []) }
}

export interface RunFilter {
  workflowId: string
  status: RunStatus | undefined
  limit: number
  after: Cursor | undefined
}

/** Newest first. Without a status, the lists of all of them are merged, a page of each. */
export async function listRuns(
  database: Database,
  accountId: string,
  { workflowId, status, limit, after }: RunFilter,
): Promise<Run[]> {
  const pages = (status === undefined ? runStatuses : [status]).map(
    (one) => sql`
      (select ${sql.join(columns.map((column) => sql.ref(column)))} from runs
       where account_id = ${accountId} and workflow_id = ${workflowId} and status = ${one}
         and ${behind('created_at', after)}
       order by created_at desc, id desc limit ${limit})`,
  )
  const { rows } = await sql<RunRow>`
    select * from (${sql.join(pages, sql` union all `)}) as page
    order by created_at desc, id desc limit ${limit}`.execute(database)
  return rows.map(toRun)
}

/** Runs that wait for a person, the longest first. */
export async function listWaiting(
  database: Database,
  accountId: string,
  { limit, after }: { limit: number; after: Cursor | undefined },
): Promise<WaitingRun[]> {
  // The cursor stands for the last row seen: this list grows at its end.
  const position =
    after === undefined ? sql`true` : sql`(waiting_since, runs.id) > (${after.at}, ${after.id})`
  const { rows } = await sql<{
    run_id: string
    workflow_id: string
    workflow_name: string
    pending: PendingRequest
    waiting_since: Date
    expires_at: Date | null
  }>`
    select runs.id as run_id, workflow_id, workflows.name as workflow_name, pending,
           waiting_since, expires_at
    from runs join workflows on workflows.id = runs.workflow_id
      and workflows.account_id = runs.account_id
    where runs.account_id = ${accountId} and runs.status = 'waiting_input' and ${position}
    order by waiting_since, runs.id limit ${limit}`.execute(database)
  return rows.map(({ pending, waiting_since, expires_at, ...row }) => ({
    ...row,
    pending: { ...pending, created_at: waiting_since, expires_at },
  }))
}

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

/** A run and its step in progress, locked until the transaction ends. */
export async function lockRun(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<{ run: Run; attempt: number; step: EndingStep | null } | undefined> {
  const row = await transaction
    .selectFrom('runs')
    .select([...columns, 'attempt'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) return undefined
  const step = await transaction
    .selectFrom('steps')
    .select(['position', 'role', 'model', 'tokens_in', 'tokens_out', 'cost_usd'])
    .where('account_id', '=', accountId)
    .where('run_id', '=', id)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  if (step === undefined) return { run: toRun(row), attempt: row.attempt, step: null }
  const { tokens_in: tokensIn, tokens_out: tokensOut, cost_usd: costUsd, ...names } = step
  const ending = { ...names, recorded: { tokensIn, tokensOut, costUsd } }
  return { run: toRun(row), attempt: row.attempt, step: ending }
}

/** Copies the finished steps of a failed run into a new run that goes on behind them. */
export async function insertRetry(
  transaction: Transaction,
  accountId: string,
  original: Run,
  id: string,
  newStepIds: string[],
): Promise<boolean> {
  const events = JSON.stringify([runEvent('run.queued', { retry_of: original.id })])
  const { rows } = await sql`
    with created as (
      insert into runs (id, account_id, workflow_id, input, retry_of, total_steps, last_sequence)
      values (${id}, ${accountId}, ${original.workflow_id}, ${original.input}, ${original.id},
              ${newStepIds.length}, 1)
      on conflict (id) do nothing
      returning id, account_id, last_sequence
    ), changed as (
      select created.*, ${events}::json as events from created
    ), logged as (${appendEvents('changed')}), copied as (
      insert into steps (run_id, position, id, account_id, role, model, agent_id, output,
                         reused_from, started_at, finished_at)
      select created.id, steps.position, (${newStepIds}::text[])[steps.position + 1],
             steps.account_id, steps.role, steps.model, steps.agent_id, steps.output,
             coalesce(steps.reused_from, steps.run_id), steps.started_at, steps.finished_at
      from created, steps
      where steps.run_id = ${original.id} and steps.account_id = ${accountId}
        and steps.output is not null and steps.position < ${newStepIds.length}
    )
    select 1 from created`.execute(transaction)
  return rows.length > 0
}

/** Runs that have not ended, by status, over all accounts: for the metrics. */
export async function countOpenRuns(
  database: Database,
): Promise<{ status: RunStatus; count: number }[]> {
  const { rows } = await sql<{ status: RunStatus; count: number }>`
    select status, count(*)::int as count from runs
    where finished_at is null group by status`.execute(database)
  return rows
}

function queuedRun(request: TriggerRequest, createdAt: Date): Run {
  return {
    id: request.id,
    workflow_id: request.workflowId,
    status: 'queued',
    input: request.input,
    output: null,
    error: null,
    error_code: null,
    total_steps: 0,
    tokens_in: 0,
    tokens_out: 0,
    cost_usd: 0,
    retry_of: null,
    pending: null,
    created_at: createdAt,
    started_at: null,
    finished_at: null,
  }
}
