import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { execute, run } from '../../db/run.ts'
import { enqueue } from '../queue/jobs.ts'
import { hashDefinition, type Agent, type Definition } from '../run/definition.ts'
import { saveDefinitions } from './definitions.ts'
import type { OpenCase } from '../run/case.ts'
import type { CallDecision, CallState, ToolCall } from '../run/ledger.ts'
import type { Approval, PendingRequest } from '../run/pending.ts'
import type { RunKey, RunStatus } from '../run/run.ts'
import type { EndingStep, RunEvent } from '../run/step.ts'
import { triggerers } from './begin.ts'
import { changedBy, endChange, recordChange, recordedUsage } from './record.ts'
import { currentEpoch } from './epochs.ts'
import { endOfWait } from '../run/clock.ts'

/**
 * Moves of a run that a person or a deadline causes. They lock its row first; moves by its worker
 * are in `boundary.ts`.
 */

/** A run as seen by a request that moves it, locked until the transaction ends. */
export interface LockedRun {
  status: RunStatus
  attempt: number
  /** It is a turn of a thread. */
  isTurn: boolean
  pending: PendingRequest | null
  /** Its deadline has passed, though the wait has not been ended yet. */
  isOverdue: boolean
  /** Ids of the actors that triggered it or a run that it retries. */
  triggerers: string[]
  /** The database's current time. */
  at: Date
  /** The step in progress. */
  step: EndingStep | null
}

export async function lockRun(
  transaction: Transaction,
  { accountId, runId }: RunKey,
): Promise<LockedRun | undefined> {
  const { rows } = await sql<Omit<LockedRun, 'step'>>`
    select status, attempt, thread_id is not null as "isTurn", pending, (expires_at <= now()) is true as "isOverdue",
           ${triggerers} as triggerers, now() as at from runs
    where account_id = ${accountId} and id = ${runId} for update`.execute(transaction)
  const [run] = rows
  if (run === undefined) return undefined
  const steps = await sql<EndingStep>`
    select position, role, model, ${recordedUsage} as recorded from steps
    where account_id = ${accountId} and run_id = ${runId} and finished_at is null`.execute(
    transaction,
  )
  return { ...run, step: steps.rows[0] ?? null }
}

/**
 * Puts a locked, waiting run back to running. The wait does not count as run time. `rest` is the
 * open case that the run waits for again once it has made the approved calls.
 */
export async function resumeRun(
  transaction: Transaction,
  { accountId, runId }: RunKey,
  events: RunEvent[],
  rest: PendingRequest | null = null,
): Promise<void> {
  const openCase =
    rest === null
      ? sql`null`
      : sql`json_build_object('pending', ${JSON.stringify(rest)}::json,
              'left_seconds', extract(epoch from expires_at - now())::float8)`
  const query = sql`
    with changed as (
      update runs as run
      set status = 'running', pending = null, open_case = ${openCase}, ${sql.raw(endOfWait)},
          last_sequence = last_sequence + ${events.length}
      where account_id = ${accountId} and id = ${runId} and status = 'waiting_input'
      returning ${changedBy(events)}
    ), ${recordChange()}, ready as (${enqueue(sql`select account_id, id, true, 0 from changed`)})
    ${endChange(sql`select 1 as one from ready`, { ready: true })}`
  await run(transaction, accountId, query)
}

/** The requests that a running run still has to wait for after a part of its case was decided. */
export async function readOpenCase(
  database: Database,
  { accountId, runId }: RunKey,
): Promise<OpenCase | null> {
  const row = await database
    .selectFrom('runs')
    .select('open_case')
    .where('account_id', '=', accountId)
    .where('id', '=', runId)
    .executeTakeFirst()
  return (row?.open_case ?? null) as OpenCase | null
}

/** Puts a locked run back to waiting, with an updated pending request. */
export async function waitOn(
  transaction: Transaction,
  { accountId, runId }: RunKey,
  pending: PendingRequest,
  events: RunEvent[],
): Promise<void> {
  const query = sql`
    with changed as (
      update runs as run
      set pending = ${JSON.stringify(pending)}::json,
          last_sequence = last_sequence + ${events.length}
      where account_id = ${accountId} and id = ${runId} and status = 'waiting_input'
      returning ${changedBy(events)}
    ), ${recordChange()}
    ${endChange(sql`select 1 as one from changed`)}`
  await run(transaction, accountId, query)
}

/** Gives a run that no worker executes another frozen definition. */
export async function redefineRun(
  transaction: Transaction,
  { accountId, runId }: RunKey,
  body: Definition,
): Promise<void> {
  const hash = hashDefinition(body).toString('hex')
  await saveDefinitions(transaction, [{ accountId, hash, body }])
  await sql`
    update runs set definition_hash = decode(${hash}, 'hex')
    where account_id = ${accountId} and id = ${runId}`.execute(transaction)
}

export interface CallKey extends RunKey {
  callId: string
}

/** The call that a run waits for, with what is needed to judge an answer. */
export async function findCall(
  transaction: Transaction,
  { accountId, runId, callId }: CallKey,
): Promise<
  Pick<ToolCall, 'tool' | 'sensitive' | 'status' | 'output' | 'unknownReason' | 'decision'> & {
    isEdited: boolean
    /** The standing agent of the call's step; null if it has none. */
    agentId: string | null
    /** The frozen agent that makes the call. */
    agent: Agent
  }
> {
  const call = await transaction
    .selectFrom('tool_calls')
    .select(['tool', 'sensitive', 'status', 'output', 'decision'])
    .select('unknown_reason as unknownReason')
    .select(sql<boolean>`proposed_input is not null`.as('isEdited'))
    .select(
      sql<string | null>`(
        select agent_id from steps
        where steps.account_id = tool_calls.account_id and steps.run_id = tool_calls.run_id
          and steps.position = tool_calls.step_position)`.as('agentId'),
    )
    .select(
      sql<Agent>`(
        select definitions.body -> 'crew' -> tool_calls.step_position::int from runs
        join definitions on definitions.account_id = runs.account_id
          and definitions.hash = runs.definition_hash
        where runs.account_id = tool_calls.account_id and runs.id = tool_calls.run_id)`.as('agent'),
    )
    .where('account_id', '=', accountId)
    .where('run_id', '=', runId)
    .where('id', '=', callId)
    .executeTakeFirst()
  if (call === undefined)
    throw new Error(`Run ${runId} waits for the call ${callId}, which is gone`)
  return call
}

/** Whether a call of a run has been decided. */
export async function isDecided(
  database: Database,
  { accountId, runId, callId }: CallKey,
): Promise<boolean> {
  const row = await database
    .selectFrom('tool_calls')
    .select('decision')
    .where('account_id', '=', accountId)
    .where('run_id', '=', runId)
    .where('id', '=', callId)
    .executeTakeFirst()
  return row !== undefined && row.decision !== null
}

/** The decision about a call that its run waits for. */
export interface Decision extends CallKey, CallState {
  decision: CallDecision
  /** The key or user that decided, with its name at that time; null for an expiry. */
  decidedBy: { id: string; name: string } | null
  reason?: string | undefined
  /** Approvals by people, if more than one is required. */
  approvals: Approval[]
}

export async function decideCall(transaction: Transaction, decision: Decision): Promise<void> {
  const { approvals } = decision
  const query = sql`
    update tool_calls
    set decision = ${decision.decision}, decided_at = now(),
        decided_by = ${decision.decidedBy?.id ?? null},
        decider_name = ${decision.decidedBy?.name ?? null}, reason = ${decision.reason ?? null},
        status = ${decision.status}, output = ${decision.output}, epoch = ${currentEpoch},
        finished_at = case when ${decision.output}::text is not null then (select now()) end,
        approvals = ${approvals.length === 0 ? null : JSON.stringify(approvals)}::json
    where account_id = ${decision.accountId} and run_id = ${decision.runId}
      and id = ${decision.callId} and output is null
      and status in ('proposed', 'unknown')`
  await execute(transaction, [decision], query)
}

/** Puts a person's arguments in place of the agent's, which are kept. */
export async function editCall(
  transaction: Transaction,
  { accountId, runId, callId }: CallKey,
  input: Record<string, unknown>,
): Promise<void> {
  await sql`
    update tool_calls
    set proposed_input = coalesce(proposed_input, input), input = ${JSON.stringify(input)}::json
    where account_id = ${accountId} and run_id = ${runId} and id = ${callId}
      and status = 'proposed'`.execute(transaction)
}
