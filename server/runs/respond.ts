import { recordAudit } from '../accounts/record-audit.ts'
import { openTools } from '../connectors/open-tools.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { hasEvent } from '../engine/state/event-log.ts'
import { checkInput } from '../tools/check-input.ts'
import { findOwnTool } from '../tools/own-tools.ts'
import { decide, type Answer } from '../engine/state/ledger.ts'
import { decideCall, findCall } from '../engine/state/ledger-store.ts'
import { lockRun, resumeRun } from '../engine/state/run-store.ts'
import { runNotFound } from './retrieve.ts'
import { runEvent, type PendingRequest } from '../engine/state/run.ts'
import type { RespondedRun, RespondToRun, Run } from './schema.ts'
import * as store from './store.ts'

const kindOf = { input: 'input', approve: 'approval', reject: 'approval' } as const

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
  if (run === undefined) throw runNotFound('respond to run', id)
  if (await hasEvent(ctx.database, ctx.accountId, id, eventId)) return { id, status: 'running' }
  const pending = checkAnswer(run, answer)
  if (answer.tool_input !== undefined) await checkEdit(ctx, pending, answer)

  await ctx.database.transaction().execute(async (transaction) => {
    const locked = await lockRun(transaction, { accountId: ctx.accountId, runId: id })
    if (locked === undefined) throw runNotFound('respond to run', id)
    if (await hasEvent(transaction, ctx.accountId, id, eventId)) return
    // The one that was read above, even where the answer names none.
    const { call_id } = checkAnswer(locked, { ...answer, pending_id: pending.id })
    const where = { accountId: ctx.accountId, runId: id, callId: call_id }
    const call = await findCall(transaction, where)
    if (call.status === 'unknown' && answer.tool_input !== undefined) {
      throw new DomainError(
        'invalid_value',
        'Cannot respond to run: tool_input is not accepted for a repeat, leave it out',
        { param: 'tool_input' },
      )
    }
    const decided = decide(call, toAnswer(answer))
    const { tool_input: editedInput } = answer
    const by = { decidedBy: ctx.actor, reason: answer.reason }
    await decideCall(transaction, { ...where, ...decided, ...by, editedInput })
    const { decision } = decided
    const reason = answer.reason === undefined ? {} : { reason: answer.reason }
    const data = { pending_id: pending.id, call_id, decision, decided_by: ctx.actor.id, ...reason }
    await resumeRun(transaction, where, [runEvent('run.resumed', data, eventId)])
    await recordAudit(transaction, ctx, { objectId: id, after: data })
  })
  ctx.queue.wake()
  ctx.watcher.changed(id)
  return { id, status: 'running' }
}

type GivenAnswer = { action: RespondToRun['action'] } & {
  [Field in Exclude<keyof RespondToRun, 'action'>]?: NonNullable<RespondToRun[Field]>
}

/** Null and "" count as absent. */
function withoutEmpty(given: RespondToRun): GivenAnswer {
  const fields = Object.entries(given).filter(([, value]) => value !== null && value !== '')
  return Object.fromEntries(fields) as GivenAnswer
}

/** What the run waits for, when the answer fits it. */
function checkAnswer(
  run: { status: Run['status']; pending: PendingRequest | null },
  answer: GivenAnswer,
): PendingRequest {
  const { pending } = run
  if (pending === null) {
    throw new DomainError(
      'run_not_waiting',
      `Cannot respond to run: it is ${run.status}, not waiting_input`,
    )
  }
  if (answer.pending_id !== undefined && answer.pending_id !== pending.id) {
    throw new DomainError(
      'pending_mismatch',
      `Cannot respond to run: it waits for ${pending.id}, not for ${answer.pending_id}`,
    )
  }
  if (kindOf[answer.action] !== pending.kind) {
    const accepted = pending.kind === 'input' ? 'input' : 'approve or reject'
    throw new DomainError(
      'action_mismatch',
      `Cannot respond to run: action is ${answer.action}, expected ${accepted} for a pending ${pending.kind}`,
      { param: 'action' },
    )
  }
  if (answer.action === 'input' && answer.input === undefined) {
    throw new DomainError(
      'required',
      'Cannot respond to run: input is missing, it is required when action is input',
      { param: 'input' },
    )
  }
  if (answer.action !== 'input' && answer.input !== undefined) {
    throw new DomainError(
      'invalid_value',
      `Cannot respond to run: input goes with the action input, not with ${answer.action}`,
      { param: 'input' },
    )
  }
  if (answer.action !== 'approve' && answer.tool_input !== undefined) {
    throw new DomainError(
      'invalid_value',
      'Cannot respond to run: tool_input goes with approve only',
      { param: 'tool_input' },
    )
  }
  return pending
}

/** Edited arguments must fit the action as those of an agent do. */
async function checkEdit(
  ctx: Context,
  pending: PendingRequest,
  { tool_input: input }: GivenAnswer,
): Promise<void> {
  const [tool = findOwnTool(pending.tool)] = await openTools(ctx, ctx.accountId, [
    pending.tool ?? '',
  ])
  const why =
    tool === undefined ? `${pending.tool} is no longer connected` : checkInput(tool, input)
  if (why === undefined) return
  throw new DomainError('invalid_arguments', `Cannot respond to run: tool_input: ${why}`, {
    param: 'tool_input',
  })
}

function toAnswer({ action, input = '', tool_input: edited, reason }: GivenAnswer): Answer {
  switch (action) {
    case 'input':
      return { action, input }
    case 'approve':
      return { action, isEdited: edited !== undefined }
    case 'reject':
      return { action, reason }
  }
}
