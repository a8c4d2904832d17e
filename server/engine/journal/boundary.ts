import { sql, type RawBuilder } from 'kysely'
import { fewRows, notice } from '../../db/fragments.ts'
import type { Database, Transaction } from '../../db/client.ts'
import type { Usage } from '../../models/contract.ts'
import { dequeue, enqueue } from '../queue/jobs.ts'
import { statement, type Given } from '../../db/statement.ts'
import { run } from '../../db/run.ts'
import { insertSearchTerms, termsOfChange, termsOfCosts } from './search-terms.ts'
import {
  changedBy,
  endChange,
  recordChange,
  threadChannel,
  addUsageFrom,
  addUsageTo,
  typedUsage,
  usedColumns,
  usageOf,
} from './record.ts'
import type { Change, Fence } from '../run/run.ts'
import type { ShownEntry, StepStart } from '../run/step.ts'
import { waitedUntilNow } from '../run/clock.ts'

/**
 * The journal owns the record of a run: its row, steps, turns, calls, events and files. It has one file for each move of
 * a run: it begins (`begin.ts`), is taken (`take.ts`), passes step boundaries and ends (this file), records calls
 * (`calls.ts`), is answered or cancelled (`respond.ts`), expires (`expire.ts`) and is deleted (`prune.ts`). Each
 * move is one statement, and whatever it changes, its events, webhook deliveries, usage and job are written with it
 * (`record.ts`). A worker's statement names the fence `attempt`; other writers lock the row first. No other room
 * writes these tables; `statements.sql` shows what PostgreSQL gets.
 */

/**
 * Applies changes in one statement, each behind its fence. Returns whether each took effect: a
 * change has no effect if another worker took the run, or it was cancelled or ended.
 */
export async function applyChanges(
  database: Database | Transaction,
  changes: Change[],
): Promise<boolean[]> {
  const input = JSON.stringify(changes.map(toChangeRow))
  const mayFail = changes.some(({ errorCode }) => errorCode !== null)
  const hasTurns = changes.some(({ isTurn }) => isTurn === true)
  const query = stepBoundary({ input }, { mayFail, hasTurns })
  const rows = await run(database, changes, query)
  const applied = new Set(rows.map(({ number }) => number))
  return changes.map((_, number) => applied.has(number))
}

const stepBoundary = statement(
  (
    given: Given<{ input: string }>,
    { mayFail, hasTurns }: { mayFail: boolean; hasTurns: boolean },
  ) => sql<{
    number: number
  }>`
    with input as materialized (
      select * from json_to_recordset(${given.input}::json) as input
        (number int, run_id text, account_id text, attempt int, status text, position int,
         output text, output_json text, step_error text, model text, duration_ms int, request_id text, tools_hash text,
         finish_reason text, ${typedUsage}, error text,
         error_code text, begins boolean, next_id text, next_position int, next_role text, next_model text,
         next_agent_id text, next_agent_version int, next_memory json, pending json, timeout_seconds int, marks json,
         warnings jsonb, event_count int, events json)
      where ${fewRows}
    ), changed as (
      update runs
      set status = input.status,
          output = case when input.status = 'completed' then input.output end,
          output_json = case when input.status = 'completed' then input.output_json end::json,
          error = input.error, error_code = input.error_code,
          started_at = coalesce(runs.started_at, case when input.begins then now() end),
          finished_at = case when input.status in ('completed', 'failed') then now() end,
          pending = input.pending,
          waiting_since = case when input.pending is not null then now() end,
          waited_ms = ${sql.raw(waitedUntilNow('runs'))},
          expires_at = now() + make_interval(secs => input.timeout_seconds),
          takes_without_progress = 0, held = null, held_since = null,
          total_steps = runs.total_steps + (input.position is not null)::int,
          ${addUsageFrom('runs', 'input')},
          warnings = case when input.warnings is null then runs.warnings
                          else coalesce(runs.warnings, '[]') || input.warnings end,
          last_sequence = runs.last_sequence + input.event_count
      from input
      where runs.account_id = input.account_id and runs.id = input.run_id
        and runs.attempt = input.attempt and runs.status not in ('completed', 'failed')
      returning runs.id, runs.account_id, runs.last_sequence, runs as run, input.number,
        input.position, input.output, input.output_json, input.step_error, input.model, input.duration_ms, input.request_id,
        input.tools_hash, input.finish_reason, ${usageOf('input')},
        input.next_id, input.next_position, input.next_role, input.next_model,
        input.next_agent_id, input.next_agent_version, input.next_memory, input.marks, input.event_count, input.events
    ), ended as (
      update steps
      set output = changed.output, output_json = changed.output_json::json, error = changed.step_error,
          model = coalesce(changed.model, steps.model), duration_ms = changed.duration_ms, request_id = changed.request_id,
          tools_hash = decode(changed.tools_hash, 'hex'), finish_reason = changed.finish_reason,
          ${addUsageFrom('steps', 'changed')}, finished_at = now()
      from changed
      where steps.account_id = changed.account_id and steps.run_id = changed.id
        and steps.position = changed.position and steps.finished_at is null
      returning steps.account_id, steps.agent_id, steps.model, steps.started_at, steps.finished_at,
        steps.tokens_in, steps.tokens_out, steps.cost_usd, steps.calls_without_price, (changed.run).workflow_id,
        (changed.run).thread_id, (changed.run).tags
    ), started as (
      insert into steps (account_id, run_id, position, id, role, model, agent_id, agent_version, memory)
      select account_id, id, next_position, next_id, next_role, next_model, next_agent_id,
             next_agent_version, next_memory
      from changed where next_id is not null
    ), marked as (
      ${insertSearchTerms(sql`
        select account_id, id, (run).created_at, marks from changed union all ${termsOfCosts}`)}
    )${hasTurns ? sql`, turned as (${wakeThreads})` : sql``}, ${recordChange({ mayEnd: true, mayFail })}, rested as (${dequeue(
      sql`select account_id, id from changed where (run).status <> 'running'`,
    )})
    ${endChange(sql`select number from changed`, { turned: hasTurns })}`,
)

/** The messages of threads whose runs a statement ends: their end is to be recorded (`sources/threads`). */
const wakeThreads = sql`
  update thread_messages as message set run_ended = true, due_at = now()
  from changed
  where (changed.run).finished_at is not null and message.account_id = changed.account_id
    and message.thread_id = (changed.run).thread_id and message.turn = (changed.run).turn
    and message.role = 'user' and message.status in ('queued', 'running')
  returning ${notice({ channel: threadChannel, payload: sql`message.thread_id` })}`

/**
 * A change as JSON for the step boundary's statement. Undefined fields are left out: each costs
 * time on both sides, and most changes lack most of them.
 */
function toChangeRow(
  { ended, next, wait, warnings = [], ...change }: Change,
  number: number,
): Record<string, unknown> {
  return {
    number,
    run_id: change.runId,
    account_id: change.accountId,
    attempt: change.attempt,
    status: change.status,
    position: ended?.position,
    output: ended?.output ?? undefined,
    output_json: ended?.outputJson,
    step_error: ended?.error ?? undefined,
    model: ended?.facts?.model,
    duration_ms: ended?.facts?.durationMs,
    request_id: ended?.facts?.requestId ?? undefined,
    tools_hash: ended?.facts?.toolsHash ?? undefined,
    finish_reason: ended?.facts?.finishReason,
    ...(ended && usedColumns(ended.usage)),
    error: change.error ?? undefined,
    error_code: change.errorCode ?? undefined,
    // A run that was cancelled while queued never started.
    begins: change.events.some(({ type }) => type === 'run.started') || undefined,
    next_id: next?.id,
    next_position: next?.position,
    next_role: next?.role,
    next_model: next?.model,
    next_agent_id: next?.agentId ?? undefined,
    next_agent_version: next?.agentVersion,
    next_memory: next === null ? undefined : memoryOf(next),
    pending: wait?.pending,
    timeout_seconds: wait?.timeoutSeconds,
    marks: termsOfChange(next?.agentId ?? null, change.error, warnings.length > 0),
    warnings: warnings.length === 0 ? undefined : warnings,
    event_count: change.events.length,
    events: change.events,
  }
}

/** Most steps have no memory entries, and store none. */
export function memoryOf({ memory }: StepStart): ShownEntry[] | undefined {
  return memory.length === 0 ? undefined : memory
}

interface ReleasedStep {
  position: number
  tries: number
  usage: Usage
  delaySeconds: number
  held?: { reason: string; message: string; lostMs: number }
  /** Why the last model call failed, if it will be tried again. */
  message?: string
}

/**
 * Releases a run on purpose, with its job ready again after a delay. The take does not count as a
 * crash; the step's failed model calls are counted. False if the run no longer belongs to the
 * worker.
 */
export async function releaseRun(
  database: Database | Transaction,
  fence: Fence,
  step: ReleasedStep,
): Promise<boolean> {
  const query = sql`
    with changed as (
      update runs as run
      set takes_without_progress = 0, counted_to = now(), ${addUsageTo(step.usage)}, ${whyHeld(step)}
      where account_id = ${fence.accountId} and id = ${fence.runId}
        and attempt = ${fence.attempt} and status = 'running'
      returning ${changedBy([])}
    ), counted as (
      update steps
      set tries = ${step.tries}, ${addUsageTo(step.usage)}
      from changed
      where steps.account_id = changed.account_id
        and steps.run_id = changed.id and steps.position = ${step.position}
    ), ${recordChange()}, ready as (${enqueue(
      sql`select account_id, id, true, ${step.delaySeconds}::float8 from changed`,
    )})
    ${endChange(sql`select 1 as one from ready`, { ready: true })}`
  const rows = await run(database, [fence], query)
  return rows.length > 0
}

/**
 * Why the run is delayed, and since when without a break. A failed call that will be tried again counts for the same
 * outage as a call that was held back, so `limits.max_outage_seconds` covers both.
 */
function whyHeld({ held, message }: ReleasedStep): RawBuilder<unknown> {
  if (held === undefined && message === undefined) return sql`held = held`
  const retry = { reason: 'provider_unavailable', message, isRetry: true, lostMs: 0 }
  const { lostMs, ...why } = held ?? retry
  return sql`held = ${JSON.stringify(why)}::jsonb,
             held_since = case when held ->> 'reason' = ${why.reason}::text and held_since is not null
                               then held_since else (select now()) end,
             waited_ms = waited_ms + ${lostMs}`
}

/**
 * A suspension does not use up a run's time: deadlines for people move by its length, and delayed
 * model calls start over with all their tries.
 */
export async function giveBackTime(transaction: Transaction, accountId: string): Promise<void> {
  await sql`
    update runs set expires_at = (select expires_at + (now() - accounts.suspended_at))
    from accounts
    where accounts.id = ${accountId} and runs.account_id = accounts.id
      and runs.status = 'waiting_input' and runs.expires_at is not null`.execute(transaction)
  await sql`
    update requested_calls
    set expires_at = (select expires_at + (now() - accounts.suspended_at)),
        lease_expires_at = (select lease_expires_at + (now() - accounts.suspended_at)),
        due_at = (select due_at + (now() - accounts.suspended_at))
    from accounts
    where accounts.id = ${accountId} and requested_calls.account_id = accounts.id
      and due_at is not null`.execute(transaction)
  await sql`
    update steps set tries = 0 from jobs
    where jobs.account_id = ${accountId} and jobs.begun and jobs.worker is null
      and steps.account_id = jobs.account_id and steps.run_id = jobs.run_id
      and steps.finished_at is null and steps.tries > 0`.execute(transaction)
}
