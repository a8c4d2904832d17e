import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { findEvent } from '../engine/reads/events.ts'
import { decide, type Answer } from '../engine/run/ledger.ts'
import { promptOf, type PendingRequest } from '../engine/run/pending.ts'
import { waitingEvent } from '../engine/run/run.ts'
import type { RunEvent } from '../engine/run/event.ts'
import { notFound } from '../errors.ts'
import { newId } from '../ids.ts'
import {
  cannotRespond,
  checkAnswer,
  checkEdit,
  withoutEmpty,
  type GivenAnswer,
} from './check-answer.ts'
import { checkApprover } from './check-approver.ts'
import type { RespondedRun, RespondToRun } from './pending-schema.ts'
import * as store from '../engine/reads/runs.ts'
import {
  decideCall,
  editCall,
  findCall,
  lockRun,
  resumeRun,
  waitOn,
} from '../engine/journal/respond.ts'

/**
 * Answers what a run waits for: the decision, the run's next state, the event and the job are one
 * transaction behind the run's row lock, so of many answers to one request one counts. An answer that
 * is repeated under its Idempotency-Key is known by its event, and never answers what came after.
 */
export async function respondToRun(
  ctx: Context,
  id: string,
  eventId: string,
  given: RespondToRun,
): Promise<RespondedRun> {
  const answer = withoutEmpty(given)
  const run = await store.findRun(ctx.database, ctx.accountId, id)
  if (run === undefined) throw notFound(ctx, 'run', id)
  const done = await findDone(ctx, id, eventId)
  if (done !== undefined) return done
  const pending = checkAnswer(run, answer)
  if (answer.tool_input !== undefined) await checkEdit(ctx, pending, answer)

  const responded = await ctx.database.transaction().execute(async (transaction) => {
    const locked = await lockRun(transaction, { accountId: ctx.accountId, runId: id })
    if (locked === undefined) throw notFound(ctx, 'run', id)
    const repeated = await findDone({ ...ctx, database: transaction }, id, eventId)
    if (repeated !== undefined) return repeated
    // The one that was read above, even where the answer names none.
    const waiting = checkAnswer(locked, { ...answer, pending_id: pending.id })
    if (locked.isOverdue) {
      throw cannotRespond('run_not_waiting', 'its time for an answer is over')
    }
    await checkApprover(transaction, ctx, { ...locked, pending: waiting }, answer)
    return answerRequest(transaction, ctx, { id, eventId, waiting, answer, at: locked.at })
  })
  ctx.queue.wake()
  ctx.feed.changed(id)
  const type = responded.status === 'running' ? 'run.resumed' : 'run.approval_given'
  ctx.acknowledged.add({ accountId: ctx.accountId, runId: id }, [{ id: eventId, type }])
  return responded
}

/** What an answer did that was given before under the same key. */
async function findDone(
  { database, accountId }: Pick<Context, 'database' | 'accountId'>,
  id: string,
  eventId: string,
): Promise<RespondedRun | undefined> {
  const event = await findEvent(database, accountId, id, eventId)
  if (event === undefined) return undefined
  const { given, required } = event.data as { given?: number; required?: number }
  if (given === undefined || required === undefined) return { id, status: 'running' }
  return { id, status: 'waiting_input', approvals: { given, required } }
}

interface Request {
  id: string
  eventId: string
  waiting: PendingRequest
  answer: GivenAnswer
  /** By the clock of the database. */
  at: Date
}

/** Decides the call that the run waits for, or waits for the approvals of others. */
async function answerRequest(
  transaction: Transaction,
  ctx: Context,
  { id, eventId, waiting, answer, at }: Request,
): Promise<RespondedRun> {
  const { action, reason, tool_input: edited } = answer
  const where = { accountId: ctx.accountId, runId: id, callId: waiting.call_id }
  const call = await findCall(transaction, where)
  const isRepeat = call.status === 'unknown'
  if (isRepeat && edited !== undefined) {
    const why = 'tool_input is not accepted for a repeat, leave it out'
    throw cannotRespond('invalid_value', why, 'tool_input')
  }
  if (edited !== undefined) await editCall(transaction, where, edited)
  const isEdited = edited !== undefined || (call.isEdited && !isRepeat)
  const decided = decide(call, toAnswer(answer, isEdited))
  const approved = action === 'approve' ? approve(ctx, waiting, answer, at) : waiting
  const { given = 1, required = 1, by = [] } = approved.approvals ?? {}
  const isDecided = action !== 'approve' || given >= required
  const data = {
    pending_id: waiting.id,
    call_id: waiting.call_id,
    decision: decided.decision,
    decided_by: ctx.actor.id,
    ...(reason === undefined ? {} : { reason }),
    ...(isDecided ? {} : { given, required }),
  }
  await recordAudit(transaction, ctx, { objectId: id, after: data })
  if (!isDecided) {
    const events: RunEvent[] = [{ id: eventId, type: 'run.approval_given', data }]
    if (edited !== undefined) events.push(waitingEvent(id, approved))
    await waitOn(transaction, where, approved, events)
    return { id, status: 'waiting_input', approvals: { given, required } }
  }
  const approvals = required === 1 ? [] : by
  await decideCall(transaction, { ...where, ...decided, decidedBy: ctx.actor, reason, approvals })
  await resumeRun(transaction, where, [{ id: eventId, type: 'run.resumed', data }])
  return { id, status: 'running' }
}

/**
 * The request with one approval more. Other arguments make another request, which nobody else has seen
 * yet: its approvals begin anew.
 */
function approve(
  { actor }: Context,
  waiting: PendingRequest,
  { reason, tool_input }: GivenAnswer,
  at: Date,
): PendingRequest {
  const { required = 1, by = [] } = waiting.approvals ?? {}
  const { id, name } = actor
  const approval = { id, name, reason: reason ?? null, at: at.toISOString() }
  if (tool_input === undefined) {
    return {
      ...waiting,
      approvals: { required, given: by.length + 1, by: [...by, approval] },
    }
  }
  const toolChanged = waiting.tool_changed !== undefined
  const call = {
    tool: waiting.tool ?? '',
    input: tool_input,
    status: 'proposed',
    timesMade: 0,
    unknownReason: null,
    toolChanged,
  } as const
  const prompt = promptOf(waiting.role, call)
  const approvals = { required, given: 1, by: [approval] }
  return { ...waiting, id: newId('pnd'), prompt, tool_input, approvals }
}

function toAnswer({ action, input = '', reason }: GivenAnswer, isEdited: boolean): Answer {
  switch (action) {
    case 'input':
      return { action, input }
    case 'approve':
      return { action, isEdited }
    case 'reject':
      return { action, reason }
  }
}
