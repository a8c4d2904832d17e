import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { appendEvents } from './event-log.ts'
import type { NewJob } from '../queue/queue.ts'
import { writeDeliveries } from '../../webhooks/outbox.ts'
import { abandonCalls } from './ledger-store.ts'
import type { Change, Fence, RunEvent, ShownEntry, StepStart, Usage } from './run.ts'

/** SQL of runs in progress; `candidate-store.ts` reads what they need. Every write names the fence `attempt`. */

export interface Take {
  runId: string
  attempt: number
  generation: number
  lastSequence: number
  definitionHash: string
  /** The time since it was last known to be at work was a wait, which no limit counts. */
  hasWaited: boolean
  step: StepStart
  events: RunEvent[]
}

export interface Taken {
  /** The new fence. */
  attempt: number
  /** Time that the run has been at work. */
  elapsedMs: number
}

/**
 * Takes runs: raises the fence and starts the next step, unless it was begun before. Answers each;
 * undefined for those that were not there to take any more.
 */
export async function takeRuns(database: Database, takes: Take[]): Promise<(Taken | undefined)[]> {
  const input = JSON.stringify(
    takes.map(({ step, ...take }, number) => ({
      number,
      run_id: take.runId,
      attempt: take.attempt,
      generation: take.generation,
      last_sequence: take.lastSequence,
      hash: take.definitionHash,
      has_waited: take.hasWaited,
      step_id: step.id,
      position: step.position,
      role: step.role,
      model: step.model,
      agent_id: step.agentId,
      memory: memoryOf(step),
      events: take.events,
    })),
  )
  const { rows } = await sql<Taken & { number: number }>`
    with input as materialized (
      select * from json_to_recordset(${input}::json) as input
        (number int, run_id text, attempt int, generation int, last_sequence int, hash text,
         has_waited boolean, step_id text, position int, role text, model text, agent_id text,
         memory json, events json)
    ), changed as (
      update runs
      set status = 'running', attempt = runs.attempt + 1,
          takes_without_progress = runs.takes_without_progress + 1,
          started_at = coalesce(runs.started_at, now()),
          definition_hash = decode(input.hash, 'hex'),
          waited_ms = runs.waited_ms + case when input.has_waited then
            coalesce((select extract(epoch from now() - greatest(events.created_at, runs.counted_to))
                      from events where events.run_id = input.run_id
                        and events.sequence = input.last_sequence) * 1000, 0)::bigint
            else 0 end,
          counted_to = now(),
          last_sequence = runs.last_sequence + json_array_length(input.events)
      from input
      where runs.id = any(${takes.map(({ runId }) => runId)})
        and runs.id = input.run_id and runs.attempt = input.attempt
        and runs.generation = input.generation and runs.last_sequence = input.last_sequence
        and ${status} in ('queued', 'running')
      returning runs.id, runs.account_id, runs.attempt, runs.last_sequence, runs.started_at,
        runs.waited_ms, runs as run, input.number, input.step_id, input.position, input.role,
        input.model, input.agent_id, input.memory, input.events
    ), started as (
      insert into steps (run_id, position, id, account_id, role, model, agent_id, memory)
      select id, position, step_id, account_id, role, model, agent_id, memory from changed
      on conflict (run_id, position) do nothing
    ), logged as (${appendEvents('changed')}
    ), delivered as (${writeDeliveries('changed')})
    select number, attempt,
           (extract(epoch from now() - started_at) * 1000)::float8 - waited_ms as "elapsedMs"
    from changed`.execute(database)
  const taken = new Map(
    rows.map(({ number, attempt, elapsedMs }) => [number, { attempt, elapsedMs }]),
  )
  return takes.map((_, number) => taken.get(number))
}

/**
 * Applies changes, each behind its fence, in one statement. Says for each whether it took effect:
 * one whose run was taken by another worker, cancelled or ended does not.
 */
export async function applyChanges(
  database: Database | Transaction,
  changes: Change[],
): Promise<boolean[]> {
  const input = JSON.stringify(
    changes.map(({ ended, next, wait, ...change }) => ({
      run_id: change.runId,
      account_id: change.accountId,
      attempt: change.attempt,
      status: change.status,
      position: ended?.position ?? null,
      output: ended?.output ?? null,
      step_error: ended?.error ?? null,
      tokens_in: ended?.tokensIn ?? 0,
      tokens_out: ended?.tokensOut ?? 0,
      cost_usd: ended?.costUsd ?? 0,
      error: change.error,
      error_code: change.errorCode,
      next_id: next?.id ?? null,
      next_position: next?.position ?? null,
      next_role: next?.role ?? null,
      next_model: next?.model ?? null,
      next_agent_id: next?.agentId ?? null,
      next_memory: next === null ? null : memoryOf(next),
      pending: wait?.pending ?? null,
      timeout_seconds: wait?.timeoutSeconds ?? null,
      events: change.events,
    })),
  )
  const { rows } = await sql<{ id: string; attempt: number }>`
    with input as materialized (
      select * from json_to_recordset(${input}::json) as input
        (run_id text, account_id text, attempt int, status text, position int, output text,
         step_error text, tokens_in int, tokens_out int, cost_usd numeric, error text,
         error_code text, next_id text, next_position int, next_role text, next_model text,
         next_agent_id text, next_memory json, pending json, timeout_seconds int, events json)
    ), changed as (
      update runs
      set status = input.status,
          output = case when input.status = 'completed' then input.output end,
          error = input.error, error_code = input.error_code,
          started_at = coalesce(runs.started_at, now()),
          finished_at = case when input.status in ('completed', 'failed') then now() end,
          pending = input.pending,
          waiting_since = case when input.pending is not null then now() end,
          expires_at = now() + make_interval(secs => input.timeout_seconds),
          takes_without_progress = 0,
          total_steps = runs.total_steps + (input.position is not null)::int,
          tokens_in = runs.tokens_in + input.tokens_in,
          tokens_out = runs.tokens_out + input.tokens_out,
          cost_usd = runs.cost_usd + input.cost_usd,
          last_sequence = runs.last_sequence + json_array_length(input.events)
      from input
      where runs.id = any(${changes.map(({ runId }) => runId)})
        and runs.id = input.run_id and runs.account_id = input.account_id
        and runs.attempt = input.attempt and ${status} not in ('completed', 'failed')
      returning runs.id, runs.account_id, runs.attempt, runs.last_sequence, runs.error_code,
        runs as run, input.position, input.output, input.step_error, input.tokens_in,
        input.tokens_out, input.cost_usd, input.next_id, input.next_position, input.next_role, input.next_model, input.next_agent_id,
        input.next_memory, input.events
    ), ended as (
      update steps
      set output = changed.output, error = changed.step_error,
          tokens_in = steps.tokens_in + changed.tokens_in,
          tokens_out = steps.tokens_out + changed.tokens_out,
          cost_usd = steps.cost_usd + changed.cost_usd, finished_at = now()
      from changed
      where steps.run_id = changed.id and steps.position = changed.position
        and steps.finished_at is null
    ), started as (
      insert into steps (run_id, position, id, account_id, role, model, agent_id, memory)
      select id, next_position, next_id, account_id, next_role, next_model, next_agent_id,
             next_memory
      from changed where next_id is not null
    ), abandoned as (${abandonCalls('changed')}
    ), logged as (${appendEvents('changed')}
    ), delivered as (${writeDeliveries('changed')})
    select id, attempt from changed`.execute(database)
  // Two workers of one process may write for the same run at once; only one of them owns it.
  const applied = new Map(rows.map((row) => [row.id, row.attempt]))
  return changes.map((change) => applied.get(change.runId) === change.attempt)
}

/**
 * Notes that a worker lets go of a run on purpose: the take is not held against it, and the failed
 * model calls of the step are counted. Returns the job that is to wake it; undefined when the run is
 * not the worker's any more.
 */
export async function releaseRun(
  transaction: Transaction,
  fence: Fence,
  step: { position: number; tries: number; usage: Usage },
): Promise<NewJob | undefined> {
  const { tokensIn, tokensOut, costUsd } = step.usage
  const { rows } = await sql<{ generation: number }>`
    with released as (
      update runs
      set takes_without_progress = 0, generation = generation + 1, counted_to = now(),
          tokens_in = tokens_in + ${tokensIn}, tokens_out = tokens_out + ${tokensOut}, cost_usd = cost_usd + ${costUsd}
      where id = ${fence.runId} and account_id = ${fence.accountId}
        and attempt = ${fence.attempt} and status = 'running'
      returning id, generation
    ), counted as (
      update steps
      set tries = ${step.tries}, tokens_in = tokens_in + ${tokensIn},
          tokens_out = tokens_out + ${tokensOut}, cost_usd = cost_usd + ${costUsd}
      from released
      where steps.run_id = released.id and steps.position = ${step.position}
    )
    select generation from released`.execute(transaction)
  const [released] = rows
  return released && { key: fence.runId, generation: released.generation, group: fence.accountId }
}

/**
 * A run's status in a form that `runs_open` does not serve. The planner believes that few runs are
 * open, because that is so when statistics are gathered, and would read all of them through that
 * index instead of a batch by its keys.
 */
const status = sql.raw(`(runs.status || '')`)

/** Most steps show no memory, and store none. */
function memoryOf({ memory }: StepStart): ShownEntry[] | null {
  return memory.length === 0 ? null : memory
}

/** Which of these runs still belong to their worker. */
export async function readOwned(database: Database, fences: Fence[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select runs.id from runs
    join unnest(${fences.map((fence) => fence.runId)}::text[],
                ${fences.map((fence) => fence.attempt)}::int[]) as mine (id, attempt)
      on runs.id = mine.id and runs.attempt = mine.attempt
    where runs.id = any(${fences.map((fence) => fence.runId)})
      and ${status} = 'running'`.execute(database)
  return new Set(rows.map((row) => row.id))
}

/** Which of these runs have ended, or are gone. */
export async function readEnded(database: Database, runIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from runs where id = any(${runIds}) and finished_at is null`.execute(database)
  const open = new Set(rows.map((row) => row.id))
  return new Set(runIds.filter((id) => !open.has(id)))
}
