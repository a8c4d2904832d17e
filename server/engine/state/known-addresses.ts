import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import { fetchAction } from '../../tools/contract.ts'
import {
  hasReadPrivateData,
  isOwnAddress,
  KnownAddresses,
  publicTools,
  type PastStep,
  type Source,
} from './fetch-rule.ts'
import type { ToolCall } from './ledger.ts'
import type { RunKey } from './run.ts'

/** The rule of `fetch-rule.ts`, on the ledger of a run as it was before a turn. */

/** The addresses that a turn may fetch unasked; undefined for any, as nothing private was read before. */
export async function knownAddresses(
  database: Database,
  moment: Moment,
  given: string[],
): Promise<KnownAddresses | undefined> {
  if (!hasReadPrivateData(await readPast(database, moment))) return undefined
  return new KnownAddresses(given, await readSources(database, moment, publicTools))
}

/** What a person is told where the rule of `fetch-rule.ts` is why a call waits. */
export async function whyFetchAsks(
  database: Database,
  step: Omit<Moment, 'turn'>,
  { tool, sensitive, input, turn }: ToolCall,
  given: string[],
): Promise<string | undefined> {
  if (tool !== fetchAction || !sensitive) return undefined
  const known = await knownAddresses(database, { ...step, turn }, given)
  if (!isOwnAddress(input, known)) return undefined
  // As it is sent: a name that looks like another shows what it is.
  const { href } = new URL(String(input?.['url']))
  return (
    'This run has read private data, and the address was in neither its input, a search result nor a ' +
    `page that it read, so the agent may have put that data into it. The whole address: ${href}`
  )
}

/** The ledger of a run before a turn. */
interface Moment extends RunKey {
  /** Of the step. */
  position: number
  turn: number
}

/** A step that was taken over counts with its own past; where that was deleted, it may have seen anything. */
async function readPast(database: Database, moment: Moment): Promise<PastStep[]> {
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

/** What public tools and people answered. */
async function readSources(
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
