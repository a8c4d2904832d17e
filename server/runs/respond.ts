import { recordAudit } from '../audit/record.ts'
import { openTools } from '../connectors/open-tools.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import {
  decideCall,
  editCall,
  findCall,
  lockRun,
  resumeRun,
  waitOn,
  type LockedRun,
} from '../engine/journal/respond.ts'
import { findEvent } from '../engine/reads/events.ts'
import { findRun } from '../engine/reads/runs.ts'
import {
  judgeAnswer,
  refuseSender,
  requestFor,
  type GivenAnswer,
  type Refusal,
} from '../engine/run/answer.ts'
import type { PendingRequest } from '../engine/run/pending.ts'
import { waitingEvent, type RunStatus } from '../engine/run/run.ts'
import { cannot, notFound, type DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import { readPolicies } from '../policies/read.ts'
import { judgeByRules } from '../policies/rules.ts'
import type { Policies } from '../policies/schema.ts'
import { checkInput } from '../tools/check-input.ts'
import { findOwnTool } from '../tools/own-tools.ts'
import type { Run } from '../engine/wire/run.ts'
import type { RespondedRun, RespondToRun } from '../engine/wire/pending.ts'
import type { RunEvent } from '../engine/run/step.ts'
import { answerCost } from './answer-cost.ts'

/**
 * Answers what a run waits for: the decision, the run's next state, the event and the job are one transaction
 * behind the run's row lock, so of many answers to one request one counts. `engine/run/answer.ts` judges the answer.
 * One that is repeated under its Idempotency-Key is known by its event, and never answers what came after.
 */
export async function respondToRun(
  ctx: Context,
  id: string,
  eventId: string,
  given: RespondToRun,
): Promise<RespondedRun> {
  const answer = withoutEmpty(given)
  const run = await findRun(ctx.database, ctx.accountId, id)
  if (run === undefined) throw notFound(ctx, 'run', id)
  const done = await findDone(ctx, id, eventId)
  if (done !== undefined) return done
  const pending = pendingOf(run, answer)
  if (answer.tool_input !== undefined) await checkEdit(ctx, pending, answer)

  const responded = await ctx.database.transaction().execute(async (transaction) => {
    const locked = await lockRun(transaction, { accountId: ctx.accountId, runId: id })
    if (locked === undefined) throw notFound(ctx, 'run', id)
    const repeated = await findDone({ ...ctx, database: transaction }, id, eventId)
    if (repeated !== undefined) return repeated
    // The request that was read above, also for an answer that names none.
    const waiting = pendingOf(locked, { ...answer, pending_id: pending.id })
    return answerRequest(transaction, ctx, { id, eventId, locked, run, pending: waiting, answer })
  })
  ctx.queue.wake()
  ctx.feed.changed(id)
  const type = responded.status === 'waiting_input' ? 'run.approval_given' : 'run.resumed'
  ctx.acknowledged.add({ accountId: ctx.accountId, runId: id }, [{ id: eventId, type }])
  return responded
}

/** Null and "" count as absent. */
function withoutEmpty(given: RespondToRun): GivenAnswer {
  const fields = Object.entries(given).filter(([, value]) => value !== null && value !== '')
  return Object.fromEntries(fields) as unknown as GivenAnswer
}

function pendingOf(
  run: { status: RunStatus; pending: PendingRequest | null },
  answer: GivenAnswer,
): PendingRequest {
  const found = requestFor(run, answer)
  if (found.kind === 'refused') throw toError(found)
  return found.pending
}

/** What an answer did that was given before under the same key. */
async function findDone(
  { database, accountId }: Pick<Context, 'database' | 'accountId'>,
  id: string,
  eventId: string,
): Promise<RespondedRun | undefined> {
  const event = await findEvent(database, accountId, id, eventId)
  if (event === undefined) return undefined
  const { given, required, call_id, decision } = event.data as {
    given?: number
    required?: number
    call_id?: string
    decision?: string
  }
  // Without more money a run ends; without a tool call it goes on.
  if (call_id === undefined && decision === 'rejected') return { id, status: 'failed' }
  if (given === undefined || required === undefined) return { id, status: 'running' }
  return { id, status: 'waiting_input', approvals: { given, required } }
}

interface Request {
  id: string
  eventId: string
  locked: LockedRun
  /** What rules see of it, which never changes. */
  run: Pick<Run, 'workflow_id' | 'tags'>
  pending: PendingRequest
  answer: GivenAnswer
}

/** Decides the call or the cost that the run waits for, or waits for the approvals of others. */
async function answerRequest(
  transaction: Transaction,
  ctx: Context,
  { id, eventId, locked, run, pending, answer }: Request,
): Promise<RespondedRun> {
  const { reason, tool_input: edited } = answer
  const { cost, call_id: callId } = pending
  const policies = await readPolicies(transaction, ctx.accountId)
  if (cost !== undefined) {
    const refusal = refuseSender({ ...locked, pending, policies, sender: ctx, answer })
    if (refusal !== undefined) throw toError(refusal)
    const pendingId = pending.id
    return answerCost(transaction, ctx, { id, eventId, locked, pendingId, cost, answer })
  }
  if (callId === undefined) throw new Error(`Run ${id} waits for no call and no cost`)
  const where = { accountId: ctx.accountId, runId: id, callId }
  const call = await findCall(transaction, where)
  if (answer.action === 'approve')
    refuseBlocked(policies, { id, run, pending, edited }, call.agentId)
  const judged = judgeAnswer({
    ...locked,
    pending,
    call,
    policies,
    sender: ctx,
    answer,
    newPendingId: newId('pnd'),
  })
  if (judged.kind === 'refused') throw toError(judged)
  if (edited !== undefined) await editCall(transaction, where, edited)
  const data = {
    pending_id: pending.id,
    call_id: callId,
    decision: judged.kind === 'decided' ? judged.state.decision : judged.decision,
    decided_by: ctx.actor.id,
    ...(reason === undefined ? {} : { reason }),
    ...(judged.kind === 'waits' && { given: judged.given, required: judged.required }),
  }
  await recordAudit(transaction, ctx, { objectId: id, after: data })
  if (judged.kind === 'waits') {
    const { given, required } = judged
    const events: RunEvent[] = [{ id: eventId, type: 'run.approval_given', data }]
    if (judged.isAnother) events.push(waitingEvent(id, judged.pending))
    await waitOn(transaction, where, judged.pending, events)
    return { id, status: 'waiting_input', approvals: { given, required } }
  }
  const { state, approvals } = judged
  await decideCall(transaction, { ...where, ...state, decidedBy: ctx.actor, reason, approvals })
  await resumeRun(transaction, where, [{ id: eventId, type: 'run.resumed', data }])
  return { id, status: 'running' }
}

/** No approval and no edit does what a rule of now blocks. */
function refuseBlocked(
  { rules }: Policies,
  {
    id,
    run,
    pending,
    edited,
  }: Pick<Request, 'id' | 'run' | 'pending'> & { edited: Record<string, unknown> | undefined },
  agentId: string | null,
): void {
  if (pending.tool === undefined) return
  const facts = {
    action: pending.tool,
    args: edited ?? pending.tool_input ?? {},
    agent: { id: agentId ?? '', role: pending.role },
    workflow: { id: run.workflow_id },
    run: { id, tags: run.tags },
  }
  const rule = judgeByRules([{ level: 'account', rules }], facts, Date.now())
  if (rule?.decision !== 'block') return
  const reason = rule.reason === null ? '' : ` (${rule.reason})`
  throw toError({ code: 'blocked_by_rule', why: `a rule of the account blocks it${reason}` })
}

/** Edited arguments must fit the action, in the bytes that a call may have which a person is asked about. */
async function checkEdit(
  ctx: Context,
  pending: PendingRequest,
  { tool_input: input }: GivenAnswer,
): Promise<void> {
  const [tool = findOwnTool(pending.tool)] = await openTools(ctx, ctx.accountId, [
    pending.tool ?? '',
  ])
  const why =
    tool === undefined
      ? `${pending.tool} is no longer connected`
      : checkInput({ ...tool, maxInputBytes: undefined }, input)
  if (why === undefined) return
  // The reason begins with the path of the argument, where one argument is wrong.
  const [path = ''] = why.split(' ', 1)
  const isArgument = Object.hasOwn(input ?? {}, path.split('.', 1)[0] ?? '')
  throw toError({
    code: 'invalid_arguments',
    why: `tool_input: ${why}`,
    param: isArgument ? `tool_input.${path}` : 'tool_input',
  })
}

function toError({ code, why, param }: Omit<Refusal, 'kind'>): DomainError {
  return cannot({ action: 'respond to run' }, code, why, param === undefined ? {} : { param })
}
