import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { filesOfRun } from '../journal/files.ts'
import { promptOf } from '../run/step.ts'
import {
  callOf,
  excluded,
  maxShownOutput,
  rowOfRun,
  toRun,
  toSteps,
  type CallRow,
  type RunRow,
  type StepRow,
} from './rows.ts'
import type { Run, RunFile, RunWithSteps } from '../wire/run.ts'
import type { RunKey } from '../run/run.ts'
import { waitedUntilNow } from '../run/clock.ts'
import { wireColumns } from '../run/fields.ts'

/** The texts of a run, whose length the webhook snapshot does not bound. */
export interface RunTexts {
  input: string
  data: object | null
  output: string | null
  output_json: object | null
}

/** Reads of runs as the API shows them. The statements that change runs are in `engine/journal`. */
export async function findRun(
  database: Database | Transaction,
  accountId: string,
  id: string,
): Promise<Run | undefined> {
  const row = await database
    .selectFrom('runs')
    .select(wireColumns)
    .select(excluded(accountId).as('excluded'))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toRun(row)
}

/** A run without the fields that say why it does not go on now, or fails since a version. */
export type StoredRun = Omit<RunWithSteps, 'held' | 'failing_since'>

/** A run with its steps, from one snapshot. */
export async function findRunWithSteps(
  database: Database,
  accountId: string,
  id: string,
): Promise<StoredRun | undefined> {
  interface Row extends RunRow {
    waited_ms: number
    context: string | null
    steps: StepRow[] | null
    calls: CallRow[] | null
    files: { input?: RunFile[]; output?: RunFile[] } | null
  }
  const { rows } = await sql<Row>`
    select ${rowOfRun(accountId)}, context,
           ${sql.raw(waitedUntilNow('runs'))} as waited_ms,
           (select json_agg(steps order by steps.position) from steps
            where steps.account_id = ${accountId} and steps.run_id = runs.id) as steps,
           (select json_agg(${callOf(maxShownOutput)} order by step_position, turn, position)
            from tool_calls
            where tool_calls.account_id = ${accountId} and tool_calls.run_id = runs.id) as calls,
           ${filesOfRun(accountId)} as files
    from runs
    where runs.account_id = ${accountId} and runs.id = ${id}`.execute(database)
  const [row] = rows
  if (row === undefined) return undefined
  const { steps, calls, files, waited_ms, context, ...fields } = row
  const prompt = promptOf(row.input, row.data as Run['data'])
  return {
    ...toRun(fields),
    waited_ms,
    files: { inputs: files?.input ?? [], outputs: files?.output ?? [] },
    steps: toSteps({ prompt, context }, steps ?? [], calls ?? []),
  }
}

/** Whether a run is there, of the wireColumns `account_id` and `run_id` of another table. */
export function hasRun(table: string): RawBuilder<boolean> {
  const { account, run } = keyOf(table)
  return sql<boolean>`exists (
      select from runs where runs.account_id = ${account} and runs.id = ${run})`
}

/**
 * Joins the run of such a row, if it exists. Statements that go through Citus must pass the
 * account.
 */
export function joinRun(table: string, accountId?: string): RawBuilder<unknown> {
  const { account, run } = keyOf(table)
  return sql`left join runs on runs.account_id = ${accountId ?? account} and runs.id = ${run}`
}

/** Whether the run has warnings; false if it does not exist. */
export const hasWarnings = sql<boolean>`coalesce(jsonb_array_length(runs.warnings), 0) > 0`

/**
 * Response fields about the run that a row started, from `joinRun`. Before the row has the status `started`, its run id
 * is only reserved.
 */
export function startedRun(table: string, started: string): RawBuilder<unknown> {
  const isStarted = sql`${sql.ref(`${table}.status`)} = ${sql.lit(started)}`
  return sql`
    case when ${isStarted} then ${keyOf(table).run} end as run_id,
    case when ${isStarted} then runs.status end as run_status,
    ${isStarted} and ${hasWarnings} as run_has_warnings`
}

function keyOf(table: string): Record<'account' | 'run', RawBuilder<unknown>> {
  return { account: sql.ref(`${table}.account_id`), run: sql.ref(`${table}.run_id`) }
}

/**
 * Texts of a run that a webhook's body has in addition to the snapshot; null if the run is deleted.
 */
export const textsOfRun = sql<RunTexts | null>`
  case when runs.id is not null then json_build_object('input', runs.input,
    'output', runs.output, 'data', runs.data, 'output_json', runs.output_json) end`

/** The stored output of a step. */
export async function readStepOutput(
  database: Database,
  { accountId, runId }: RunKey,
  order: number,
): Promise<{ output: string | null; turn: number; hasEnded: boolean } | undefined> {
  const { rows } = await sql<{ output: string | null; turn: number; hasEnded: boolean }>`
    select output, turns as turn, finished_at is not null as "hasEnded" from steps
    where account_id = ${accountId} and run_id = ${runId} and position = ${order}`.execute(database)
  return rows[0]
}

/** Expression: how many runs an account has triggered since a time. */
export function countTriggeredSince(
  accountId: string,
  time: RawBuilder<unknown>,
): RawBuilder<number> {
  return sql<number>`(
        select count(*)::int from runs
        where account_id = ${accountId} and created_at >= ${time}
          and status in ('queued', 'running', 'waiting_input', 'completed', 'failed'))`
}
