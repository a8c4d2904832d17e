import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import type { RunKey } from '../run/run.ts'
import type { CallStatus } from '../run/ledger.ts'

/** What a run has read and done before a turn, from its ledger. */
export interface PastStep {
  /** The step had memory or files, or that is no longer known. */
  sawPrivateData: boolean
  calls: { tool: string; wasMade: boolean }[]
}

export interface Source {
  tool: string
  status: CallStatus
  output: string | null
}

/** A point in a run: before this turn of this step. */
export interface Moment extends RunKey {
  /** Position of the step. */
  position: number
  turn: number
}

/**
 * A reused step counts with its original's past; if the original was deleted, it may have seen
 * private data.
 */
export async function readPast(database: Database, moment: Moment): Promise<PastStep[]> {
  const { rows } = await sql<PastStep>`
    select step.run_id is null or step.memory is not null or exists (
             select from run_files
             where run_files.account_id = ${moment.accountId} and run_files.run_id = ${moment.runId}
               and (direction = 'input' or step_position < past.position)) as "sawPrivateData",
           coalesce((select json_agg(json_build_object(
                              'tool', tool, 'wasMade', tool_calls.started_at is not null))
                     from tool_calls where ${isBefore(moment)}), '[]') as calls
    from ${stepsUpTo(moment)}`.execute(database)
  return rows
}

/** Results of public tools and answers of people. */
export async function readSources(
  database: Database,
  moment: Moment,
  tools: readonly string[],
): Promise<Source[]> {
  const { rows } = await sql<Source>`
    select tool_calls.tool, tool_calls.status, tool_calls.output
    from ${stepsUpTo(moment)}
    join tool_calls on ${isBefore(moment)}
    where tool_calls.status = 'succeeded' and tool_calls.tool = any(${tools})`.execute(database)
  return rows
}

const stepsUpTo = ({ accountId, runId, position }: Moment) => sql`
  (select account_id, position, coalesce(reused_from, run_id) as run_id from steps
   where account_id = ${accountId} and run_id = ${runId} and position <= ${position}) as past
  left join steps as step on step.account_id = past.account_id and step.run_id = past.run_id
    and step.position = past.position`

const isBefore = ({ accountId, position, turn }: Moment) => sql`
  tool_calls.account_id = ${accountId} and tool_calls.run_id = past.run_id
  and tool_calls.step_position = past.position
  and (past.position < ${position} or tool_calls.turn < ${turn})`
