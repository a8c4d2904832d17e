import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { run } from '../../db/run.ts'
import type { ToolCall } from '../run/ledger.ts'
import {
  changedBy,
  endChange,
  recordChange,
  addUsageTo,
  usageNames,
  usageValues,
} from './record.ts'
import type { Fence, RunKey } from '../run/run.ts'
import type { TurnFacts, RunEvent } from '../run/step.ts'
import { noUsage, type Usage } from '../../models/contract.ts'
import { currentEpoch } from './epochs.ts'
import type { CallKey } from './respond.ts'

/** SQL of the ledger of tool calls and of the turns of a step. Every write names the fence. */

/** What one write of a step in progress records. */
export interface LedgerEntry {
  /** Position of the step. */
  position: number
  usage?: Usage
  /** A model's message, with the calls that it asks for. */
  turn?: (StoredTurn & { facts: TurnFacts }) | undefined
  /** Calls that are about to go out: they do once this write succeeds. */
  begun?: string[]
  /**
   * Calls that do not go out as proposed: a person is asked again, or the agent gets an answer
   * instead.
   */
  heldBack?: Pick<
    ToolCall,
    'id' | 'status' | 'output' | 'decision' | 'toolVersion' | 'toolChanged'
  >[]
  /** Results of calls. A call without an output stays open, and a person is asked about it. */
  settled?: Outcome[]
  events: RunEvent[]
}

export type Outcome = Pick<ToolCall, 'id' | 'status' | 'output' | 'unknownReason'>

/**
 * A model's message and its tool calls; `problem` says why the message was sent back to the model.
 */
interface StoredTurn {
  number: number
  message: unknown
  calls: ToolCall[]
  problem: string | null
}

/** False if the run, or a call that was about to go out, no longer belongs to the worker. */
export async function writeLedger(
  database: Database | Transaction,
  fence: Fence,
  { position, usage = noUsage, turn, begun = [], heldBack = [], settled = [], events }: LedgerEntry,
): Promise<boolean> {
  const calls = turn?.calls.map((call) => ({
    position: call.position,
    id: call.id,
    provider_call_id: call.providerCallId,
    tool: call.tool,
    sensitive: call.sensitive,
    tool_version: call.toolVersion,
    input: call.input,
    status: call.status,
    output: call.output,
    decision: call.decision,
    rule: call.rule ?? null,
  }))
  const answered = [...settled, ...(calls ?? [])]
  const toolBytes = answered.reduce((sum, { output }) => sum + Buffer.byteLength(output ?? ''), 0)
  const query = sql<{ begun: number }>`
    with changed as (
      update runs as run
      set takes_without_progress = 0, held = null, held_since = null, ${addUsageTo(usage)},
          tool_bytes = tool_bytes + ${toolBytes}, last_sequence = last_sequence + ${events.length}
      where account_id = ${fence.accountId} and id = ${fence.runId}
        and attempt = ${fence.attempt} and status = 'running'
      returning ${changedBy(events)}
    ), counted as (
      update steps
      set tries = 0, ${addUsageTo(usage)},
          turns = turns + ${turn === undefined ? 0 : 1}
      from changed
      where steps.account_id = changed.account_id and steps.run_id = changed.id
        and steps.position = ${position} and steps.finished_at is null
    ), turned as (
      insert into step_turns (account_id, run_id, step_position, turn, message, problem,
                              ${usageNames}, model, duration_ms, request_id, tools_hash)
      select account_id, id, ${position}, ${turn?.number ?? 0},
             ${JSON.stringify(turn?.message ?? null)}::json, ${turn?.problem ?? null}, ${usageValues(usage)},
             ${turn?.facts.model ?? null},
             ${turn?.facts.durationMs ?? 0}, ${turn?.facts.requestId ?? null},
             decode(${turn?.facts.toolsHash ?? null}, 'hex')
      from changed where ${turn !== undefined}
    ), proposed as (
      insert into tool_calls (account_id, run_id, step_position, turn, position, id,
        provider_call_id, tool, sensitive, tool_version, input, status, output, decision, decided_at,
        started_at, times_made, finished_at, epoch, rule)
      select changed.account_id, changed.id, ${position}, ${turn?.number ?? 0}, call.position,
             call.id, call.provider_call_id, call.tool, call.sensitive, call.tool_version, call.input,
             call.status, call.output, call.decision, case when call.decision is not null then now() end,
             case when call.status = 'executing' then now() end, (call.status = 'executing')::int,
             case when call.output is not null then now() end, ${currentEpoch}, call.rule
      from changed, json_to_recordset(${JSON.stringify(calls ?? [])}::json) as call
        (position int, id text, provider_call_id text, tool text, sensitive boolean, tool_version text,
         input json, status text, output text, decision text, rule json)
    ), begun as (
      update tool_calls set status = 'executing', started_at = now(), times_made = ${timesMade} + 1
      from changed
      where tool_calls.account_id = changed.account_id
        and tool_calls.run_id = changed.id
        and step_position = ${position} and tool_calls.id = any(${begun})
        and tool_calls.status = 'approved'
      returning tool_calls.id
    ), held_back as (
      update tool_calls
      set status = held.status, output = held.output, tool_version = held."toolVersion",
          tool_changed = held."toolChanged", decision = held.decision,
          decided_at = case when held.decision is not null then coalesce(decided_at, (select now())) end,
          decided_by = case when held.decision is not null then decided_by end,
          decider_name = case when held.decision is not null then decider_name end,
          reason = case when held.decision is not null then reason end,
          approvals = case when held.decision is not null then approvals end,
          finished_at = case when held.output is not null then (select now()) end
      from changed, json_to_recordset(${JSON.stringify(heldBack)}::json) as held
        (id text, status text, output text, decision text, "toolVersion" text,
         "toolChanged" boolean)
      where tool_calls.account_id = changed.account_id
        and tool_calls.run_id = changed.id
        and step_position = ${position} and tool_calls.id = held.id and tool_calls.output is null
    ), settled as (
      update tool_calls
      set status = outcome.status, output = outcome.output,
          unknown_reason = outcome."unknownReason", finished_at = now()
      from changed, json_to_recordset(${JSON.stringify(settled)}::json) as outcome
        (id text, status text, output text, "unknownReason" text)
      where tool_calls.account_id = changed.account_id
        and tool_calls.run_id = changed.id
        and step_position = ${position} and tool_calls.id = outcome.id
        and tool_calls.status in ('executing', 'unknown')
    ), ${recordChange()}
    ${endChange(sql`select (select count(*)::int from begun) as begun from changed`)}`
  const rows = await run(database, [fence], query)
  return rows[0]?.begun === begun.length
}

/**
 * Whether the outcome of a call is still unrecorded: a write that timed out may have succeeded
 * since.
 */
export async function isExecuting(
  transaction: Transaction,
  { accountId, runId }: RunKey,
  callId: string,
): Promise<boolean> {
  // Statements that write the ledger hold this lock, so the next statement sees what they wrote.
  await sql`
    select from runs where account_id = ${accountId} and id = ${runId} for update`.execute(
    transaction,
  )
  const { rows } = await sql`
    select from tool_calls
    where account_id = ${accountId} and run_id = ${runId} and id = ${callId}
      and status = 'executing'`.execute(transaction)
  return rows.length > 0
}

/**
 * Records the outcome of a call that was in flight when its run was cancelled, because the action
 * was done outside. Has no effect if another worker took the run.
 */
export async function settleLate(
  database: Database,
  fence: Fence,
  { id, status, output }: Outcome,
): Promise<void> {
  await sql`
    update tool_calls
    set status = ${status}, output = ${output}, unknown_reason = null, finished_at = now()
    from runs
    where runs.account_id = ${fence.accountId} and runs.id = ${fence.runId}
      and runs.attempt = ${fence.attempt} and runs.finished_at is not null
      and tool_calls.account_id = runs.account_id and tool_calls.run_id = runs.id
      and tool_calls.id = ${id}
      and tool_calls.status in ('executing', 'unknown')`.execute(database)
}

/** Whether calls of a connector, other than these, went out in the run and ended. */
export async function hasMadeCalls(
  database: Database,
  { accountId, runId }: RunKey,
  connectorId: string,
  exceptIds: readonly string[],
): Promise<boolean> {
  const { rows } = await sql`
    select from tool_calls
    where account_id = ${accountId} and run_id = ${runId}
      and starts_with(tool, ${`${connectorId}.`}) and status in ('succeeded', 'unknown')
      and started_at is not null and id <> all (${exceptIds}::text[])
    limit 1`.execute(database)
  return rows.length > 0
}

/** The user who triggered a run; null if it was a key, a schedule, a hook or the like. */
export async function findTriggeringUser(
  database: Database,
  { accountId, runId }: RunKey,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select triggered_by as id from runs
    where account_id = ${accountId} and id = ${runId} and starts_with(triggered_by, 'usr_')`.execute(
    database,
  )
  return rows[0]?.id ?? null
}

/** The turns and calls of a step, in order. */
export async function readTurns(
  database: Database,
  { accountId, runId }: RunKey,
  position: number,
): Promise<StoredTurn[]> {
  const { rows } = await sql<Omit<StoredTurn, 'calls'> & { calls: ToolCall[] | null }>`
    select turn as number, message, problem,
           (select json_agg(json_build_object(
                     'id', id, 'turn', tool_calls.turn, 'position', tool_calls.position,
                     'providerCallId', provider_call_id, 'tool', tool, 'sensitive', sensitive,
                     'toolVersion', tool_version, 'toolChanged', tool_changed,
                     'timesMade', ${timesMade}, 'input', input, 'status', tool_calls.status, 'output', tool_calls.output,
                     'unknownReason', unknown_reason,
                     'decision', decision) order by tool_calls.position)
            from tool_calls
            where tool_calls.account_id = ${accountId} and tool_calls.run_id = ${runId}
              and tool_calls.step_position = step_turns.step_position
              and tool_calls.turn = step_turns.turn) as calls
    from step_turns where account_id = ${accountId} and run_id = ${runId}
      and step_position = ${position}
    order by turn`.execute(database)
  return rows.map((row) => ({ ...row, calls: row.calls ?? [] }))
}

/** Muster 0.1.0 does not set `times_made`. */
const timesMade = sql`greatest(times_made, (started_at is not null)::int)`

/**
 * Takes an email that was certainly not sent off the daily count, unless the day it was counted on
 * is over.
 */
export async function returnMail(
  database: Database,
  { accountId, runId, callId }: CallKey,
): Promise<void> {
  await sql`
    update mail_counts set sent = sent - 1
    from tool_calls
    where mail_counts.account_id = ${accountId} and mail_counts.sent > 0
      and tool_calls.account_id = ${accountId} and tool_calls.run_id = ${runId}
      and tool_calls.id = ${callId}
      and mail_counts.day = (tool_calls.started_at at time zone 'UTC')::date`.execute(database)
}
