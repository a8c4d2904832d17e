import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/client.ts'
import { asTime, run } from '../../db/run.ts'
import { ownTools } from '../../tools/own-tools.ts'
import { askToRun, type PendingRequest } from '../run/pending.ts'
import type { RunStatus } from '../run/run.ts'

const caseId = (pending: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`coalesce(${pending} ->> 'case_id', ${pending} ->> 'id')`

/** Runs that wait for a person, as a table `run` for statements of other rooms. */
export const waitingRuns = sql`(
  select account_id, id, workflow_id, ${caseId(sql`pending`)} as case_id, pending ->> 'call_id' as call_id,
         waiting_since, definition_hash from runs
  where status = 'waiting_input') as run`

/** The same, including runs that wait again as soon as they have made approved calls. */
export const runsWithCase = sql`(
  select account_id, id, ${caseId(sql`pending`)} as case_id from runs where status = 'waiting_input'
  union all
  select account_id, id, ${caseId(sql`(open_case -> 'pending')`)} from runs
  where status = 'running' and open_case is not null) as run`

/** A setting of `human_in_the_loop` that such a run has frozen, as JSON. */
export function settingOfRun(table: string, setting: string): RawBuilder<unknown> {
  return sql`(
    select definitions.body -> 'humanInTheLoop' -> ${sql.lit(setting)} from definitions
    where definitions.account_id = ${sql.ref(`${table}.account_id`)}
      and definitions.hash = ${sql.ref(`${table}.definition_hash`)})`
}

/** The tool of the call that a row of another table names by `run_id` and `call_id`. */
export function toolOf(table: string, accountId: string): RawBuilder<string | null> {
  return sql<string | null>`(
    select tool from tool_calls where tool_calls.account_id = ${accountId}
      and tool_calls.run_id = ${sql.ref(`${table}.run_id`)} and tool_calls.id = ${sql.ref(`${table}.call_id`)})`
}

/** A request to a person, with its outcome. */
export interface Case {
  runId: string
  workflowId: string
  workflowName: string
  status: RunStatus
  /**
   * What the run waits for now, or will wait for again once it has made approved calls. This may be
   * another request. Null if it waits for nothing.
   */
  pending: PendingRequest | null
  expiresAt: Date | null
  /** The request, or the requests of several calls of a turn, with the outcome of each. */
  outcomes: [Outcome, ...Outcome[]]
}

interface Outcome {
  /**
   * The request as far as it is known after the decision: from its call, or from the event of a
   * budget request.
   */
  asked: Pick<PendingRequest, 'kind' | 'prompt' | 'role' | 'tool' | 'tool_input'>
  /** Null for a budget request. */
  callId: string | null
  /** The call may have been made already, and a person is asked whether to repeat it. */
  mayBeDone: boolean
  decision: string | null
  decider: string | null
  reason: string | null
}

interface Row extends Omit<Case, 'outcomes'> {
  role: string
  calls: (Omit<Outcome, 'asked'> & { tool: string; input: Record<string, unknown> | null })[]
}

const pendingOfRun = sql`
  coalesce(runs.pending, case when runs.status = 'running' then runs.open_case -> 'pending' end) as pending`

/** The calls of a turn that needed a person: not those that were refused, invalid or allowed. */
const wasAsked = sql`(
  (one.decision is not null and one.decision <> 'refused')
  or (one.decision is null and one.started_at is null and one.status <> 'failed')
  or (one.status = 'unknown' and one.output is null))`

/** Undefined if the run or its call no longer exists. */
export async function findCase(
  database: Database,
  accountId: string,
  { runId, callId, pendingId }: { runId: string; callId: string | null; pendingId: string },
): Promise<Case | undefined> {
  if (callId === null) return findCostCase(database, accountId, { runId, pendingId })
  const query = sql<Row>`
    select runs.id as "runId", runs.workflow_id as "workflowId", runs.status,
           coalesce(workflows.name, runs.workflow_id) as "workflowName",
           ${pendingOfRun}, runs.expires_at as "expiresAt", steps.role,
           (select json_agg(json_build_object('tool', one.tool, 'input', one.input, 'callId', one.id,
                     'mayBeDone', one.status = 'unknown' and one.output is null, 'decision', one.decision,
                     'decider', one.decider_name, 'reason', one.reason) order by one.position)
            from tool_calls as one
            where one.account_id = ${accountId} and one.run_id = runs.id
              and one.step_position = tool_calls.step_position and one.turn = tool_calls.turn
              and (one.id = tool_calls.id or ${wasAsked})) as calls
    from runs
    join tool_calls on tool_calls.account_id = ${accountId} and tool_calls.run_id = runs.id
      and tool_calls.id = ${callId}
    join steps on steps.account_id = ${accountId} and steps.run_id = runs.id
      and steps.position = tool_calls.step_position
    left join workflows on workflows.account_id = ${accountId} and workflows.id = runs.workflow_id
    where runs.account_id = ${accountId} and runs.id = ${runId}`
  const [row] = await run(database, accountId, query, { expiresAt: asTime })
  if (row === undefined) return undefined
  const { role, calls, ...rest } = row
  const outcomes = calls.map(({ tool, input, ...outcome }) => ({
    ...outcome,
    asked: askedBy(role, tool, input ?? {}),
  }))
  return { ...rest, outcomes: outcomes as Case['outcomes'] }
}

function askedBy(role: string, tool: string, input: Record<string, unknown>): Outcome['asked'] {
  if (tool === ownTools.request_input.id) {
    return { kind: 'input', prompt: String(input['question']), role }
  }
  const prompt = askToRun(role, tool, input)
  return { kind: 'approval', prompt, role, tool, tool_input: input }
}

/** The case of a budget request, which is kept only in events. */
async function findCostCase(
  database: Database,
  accountId: string,
  { runId, pendingId }: { runId: string; pendingId: string },
): Promise<Case | undefined> {
  const query = sql<
    Omit<Case, 'outcomes'> &
      Pick<Outcome, 'decision' | 'decider' | 'reason'> & { role: string; prompt: string }
  >`
    select runs.id as "runId", runs.workflow_id as "workflowId", runs.status,
           coalesce(workflows.name, runs.workflow_id) as "workflowName",
           runs.pending, runs.expires_at as "expiresAt", asked.data ->> 'role' as role,
           asked.data ->> 'prompt' as prompt,
           coalesce(answered.data ->> 'decision',
                    case when runs.error_code = 'budget_exceeded' then 'expired' end) as decision,
           answered.data -> 'decider' ->> 'name' as decider, answered.data ->> 'reason' as reason
    from runs
    join events as asked on asked.account_id = ${accountId} and asked.run_id = runs.id
      and asked.type = 'run.waiting_input' and asked.data ->> 'pending_id' = ${pendingId}
    left join events as answered on answered.account_id = ${accountId} and answered.run_id = runs.id
      and answered.type = 'run.resumed' and answered.data ->> 'pending_id' = ${pendingId}
    left join workflows on workflows.account_id = ${accountId} and workflows.id = runs.workflow_id
    where runs.account_id = ${accountId} and runs.id = ${runId}`
  const [row] = await run(database, accountId, query, { expiresAt: asTime })
  if (row === undefined) return undefined
  const { role, prompt, decision, decider, reason, ...rest } = row
  const asked = { kind: 'budget', prompt, role } as const
  return {
    ...rest,
    outcomes: [{ asked, callId: null, mayBeDone: false, decision, decider, reason }],
  }
}
