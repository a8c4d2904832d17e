import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import type { Definition } from '../run/definition.ts'
import type { CallStatus } from '../run/ledger.ts'
import type { RunKey } from '../run/run.ts'

/** SQL of what a fork starts from, and of the workflow versions that worked and failed. */

/** The definition that a run froze; undefined if it never started. */
export async function readFrozen(
  database: Database | Transaction,
  { accountId, runId }: RunKey,
): Promise<Definition | undefined> {
  const { rows } = await sql<{ body: Definition }>`
    select definitions.body from runs
    join definitions on definitions.account_id = ${accountId}
      and definitions.hash = runs.definition_hash
    where runs.account_id = ${accountId} and runs.id = ${runId}`.execute(database)
  return rows[0]?.body
}

/** A call with an effect that a run has made, or may have made. */
export interface MadeCall {
  id: string
  position: number
  role: string
  /** The standing agent; null for an inline agent. */
  agentId: string | null
  tool: string
  input: unknown
  status: CallStatus
}

/**
 * Calls with an effect from a step on, in order. A reused step has the calls of the run that
 * executed it.
 */
export async function readMadeCalls(
  database: Database,
  { accountId, runId }: RunKey,
  fromStep: number,
  limit: number,
): Promise<MadeCall[]> {
  const { rows } = await sql<MadeCall>`
    select tool_calls.id, steps.position, steps.role, steps.agent_id as "agentId", tool_calls.tool, tool_calls.input, tool_calls.status
    from steps
    join tool_calls on tool_calls.account_id = ${accountId}
      and tool_calls.run_id = coalesce(steps.reused_from, steps.run_id)
      and tool_calls.step_position = steps.position
    where steps.account_id = ${accountId} and steps.run_id = ${runId} and steps.position >= ${fromStep}
      and tool_calls.sensitive and tool_calls.started_at is not null
    order by steps.position, tool_calls.turn, tool_calls.position limit ${limit}`.execute(database)
  return rows
}

/** A run and the workflow version that it executed. */
export interface VersionedRun {
  id: string
  version: number | null
}

/** The last run that completed before another was triggered, and the first that failed since. */
export async function readRegression(
  database: Database,
  accountId: string,
  { workflowId, createdAt }: { workflowId: string; createdAt: Date },
): Promise<{ worked: VersionedRun; failed: VersionedRun } | undefined> {
  const { rows } = await sql<{ worked: VersionedRun; failed: VersionedRun }>`
    with worked as materialized (
      select id, workflow_version, created_at from runs
      where account_id = ${accountId} and workflow_id = ${workflowId} and status = 'completed'
        and created_at < ${createdAt}
      order by created_at desc, id desc limit 1
    ), failed as materialized (
      select runs.id, runs.workflow_version from runs
      where runs.account_id = ${accountId} and runs.workflow_id = ${workflowId}
        and runs.status = 'failed' and runs.created_at > (select created_at from worked)
        and runs.created_at <= ${createdAt} and runs.error_code <> 'cancelled'
      order by runs.created_at, runs.id limit 1
    )
    select json_build_object('id', worked.id, 'version', worked.workflow_version) as worked,
           json_build_object('id', failed.id, 'version', failed.workflow_version) as failed
    from worked cross join failed`.execute(database)
  return rows[0]
}
