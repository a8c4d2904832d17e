import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import { asTime, run } from '../../db/run.ts'
import type { FrozenRules } from '../run/definition.ts'

/** A call that a person had to decide, with the facts that rules are evaluated on. */
export interface DecidedCall {
  runId: string
  callId: string
  tool: string
  /** The arguments before an approver edited them. */
  args: Record<string, unknown>
  decision: 'approved' | 'edited' | 'rejected' | 'expired'
  toolVersion: string | null
  decidedAt: Date
  decidedBy: string | null
  decider: string | null
  role: string
  agentId: string | null
  position: number
  workflowId: string
  tags: Record<string, string> | null
  /** Frozen rules of its agent. */
  rules: FrozenRules | null
}

/** The condition of the index `tool_calls_decided`. */
const isDecided = sql.raw(`decision in ('approved', 'edited', 'rejected', 'expired')`)

const mostActions = 200

/** Actions that people have decided about, in alphabetical order. */
export async function listDecidedActions(database: Database, accountId: string): Promise<string[]> {
  const query = sql<{ tool: string }>`
    with recursive actions as (
      (select tool from tool_calls where account_id = ${accountId} and ${isDecided}
       order by tool limit 1)
      union all
      select (
        select next.tool from tool_calls as next
        where next.account_id = ${accountId} and next.tool > actions.tool and ${isDecided}
        order by next.tool limit 1)
      from actions where actions.tool is not null
    )
    select tool from actions where tool is not null limit ${mostActions}`
  return (await run(database, accountId, query)).map(({ tool }) => tool)
}

/** The newest decisions about some actions, newest first. */
export async function readDecidedCalls(
  database: Database,
  accountId: string,
  actions: string[],
  limit: number,
): Promise<DecidedCall[]> {
  const query = sql<DecidedCall>`
    select call.run_id as "runId", call.id as "callId", call.tool, call.decision,
           coalesce(call.proposed_input, call.input, '{}') as args,
           call.tool_version as "toolVersion", call.decided_at as "decidedAt",
           call.decided_by as "decidedBy", call.decider_name as decider, steps.role,
           steps.agent_id as "agentId", steps.position, runs.workflow_id as "workflowId", runs.tags,
           (select body -> 'crew' -> steps.position::int -> 'rules' from definitions
            where definitions.account_id = ${accountId}
              and definitions.hash = runs.definition_hash) as rules
    from (
      select newest.* from unnest(${actions}::text[]) as wanted (tool)
      cross join lateral (
        select * from tool_calls
        where tool_calls.account_id = ${accountId} and tool_calls.tool = wanted.tool and ${isDecided}
        order by tool_calls.decided_at desc limit ${limit}) as newest
      order by newest.decided_at desc, newest.id limit ${limit}) as call
    join runs on runs.account_id = ${accountId} and runs.id = call.run_id
    join steps on steps.account_id = ${accountId} and steps.run_id = call.run_id
      and steps.position = call.step_position
    order by call.decided_at desc, call.id`
  return run(database, accountId, query, { decidedAt: asTime })
}
