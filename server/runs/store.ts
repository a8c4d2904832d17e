import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import type { Cursor } from '../db/keyset.ts'
import type { PendingRequest } from '../engine/state/pending-request.ts'
import { filesOfRun } from '../engine/state/run-file-store.ts'
import { promptOf } from '../engine/state/step.ts'
import {
  callOf,
  columns,
  excluded,
  maxShownOutput,
  rowOfRun,
  toPending,
  toRun,
  toSteps,
  type CallRow,
  type RunRow,
  type StepRow,
} from './rows.ts'
import type { WaitingRun } from './pending-schema.ts'
import type { Run, RunFile, RunWithSteps } from './schema.ts'

/** SQL of runs as their account sees them; `engine/state` has what moves them. */
export async function findRun(
  database: Database | Transaction,
  accountId: string,
  id: string,
): Promise<Run | undefined> {
  const row = await database
    .selectFrom('runs')
    .select(columns)
    .select(excluded(accountId).as('excluded'))
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
): Promise<Omit<RunWithSteps, 'held'> | undefined> {
  interface Row extends RunRow {
    waited_ms: number
    steps: StepRow[] | null
    calls: CallRow[] | null
    files: { input?: RunFile[]; output?: RunFile[] } | null
  }
  const { rows } = await sql<Row>`
    select ${rowOfRun(accountId)},
           waited_ms + coalesce((extract(epoch from now() - waiting_since) * 1000)::bigint, 0)
             as waited_ms,
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
  const { steps, calls, files, waited_ms, ...fields } = row
  return {
    ...toRun(fields),
    waited_ms,
    files: { inputs: files?.input ?? [], outputs: files?.output ?? [] },
    steps: toSteps(promptOf(row.input, row.data as Run['data']), steps ?? [], calls ?? []),
  }
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
    excluded: string[] | null
  }>`
    select runs.id as run_id, workflow_id, workflows.name as workflow_name, pending,
           waiting_since, expires_at, ${excluded(accountId)} as excluded
    from runs join workflows on workflows.account_id = runs.account_id
      and workflows.id = runs.workflow_id
    where runs.account_id = ${accountId} and runs.status = 'waiting_input' and ${position}
    order by waiting_since, runs.id limit ${limit}`.execute(database)
  return rows.map(({ pending, waiting_since, expires_at, excluded: ids, ...row }) => ({
    ...row,
    pending: toPending(pending, waiting_since, expires_at, ids),
  }))
}
