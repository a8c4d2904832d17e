import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import {
  decideCall,
  editCall,
  findCall,
  isDecided,
  lockRun,
  resumeRun,
  waitOn,
  type LockedRun,
} from '../engine/journal/respond.ts'
import { findEvent } from '../engine/reads/events.ts'
import { findRun } from '../engine/reads/runs.ts'
import {
  judgeAnswer,
  readGiven,
  refuseSender,
  requestsFor,
  within,
  type FittingAnswer,
  type Given,
  type GivenAnswer,
} from '../engine/run/answer.ts'
import { caseIdOf, restOf } from '../engine/run/case.ts'
import type { CallDecision } from '../engine/run/ledger.ts'
import type { PendingRequest } from '../engine/run/pending.ts'
import { waitingEvent, type RunStatus } from '../engine/run/run.ts'
import { cannot, notFound } from '../errors.ts'
import { newId } from '../ids.ts'
import { readPolicies } from '../policies/read.ts'
import type { Policies } from '../policies/schema.ts'
import type { Run } from '../engine/wire/run.ts'
import type { RespondedRun, RespondToRun } from '../engine/wire/pending.ts'
import type { RunEvent } from '../engine/run/step.ts'
import { answerCost } from './answer-cost.ts'
import { checkEdit, refuseByRules, toError } from './check-answer.ts'

/**
 * Answers the pending request of a run. The decisions, the run's next status, the event and the job
 * are one transaction under the lock of the run's row, so only one of several concurrent answers
 * takes effect, and of several decisions all or none. `engine/run/answer.ts` judges each. An answer
 * that is repeated under its Idempotency-Key is recognized by its event, and never answers a later
 * request.
 */
export async function respondToRun(
  ctx: Context,
  id: string,
  eventId: string,
  body: RespondToRun,
): Promise<RespondedRun> {
  const read = readGiven(withoutEmpty(body))
  if (read.kind === 'refused') throw toError(read)
  const { given } = read
  const run = await findRun(ctx.database, ctx.accountId, id)
  if (run === undefined) throw notFound(ctx, 'run', id)
  const done = await findDone(ctx, id, eventId)
  if (done !== undefined) return done
  const answers = await fit(ctx, run, given)
  for (const answer of answers) await checkEdit(ctx, id, answer)

  const transact = () =>
    ctx.database.transaction().execute(async (transaction) => {
      const locked = await lockRun(transaction, { accountId: ctx.accountId, runId: id })
      if (locked === undefined) throw notFound(ctx, 'run', id)
      const here = { ...ctx, database: transaction }
      const repeated = await findDone(here, id, eventId)
      if (repeated !== undefined) return repeated
      const waiting = await fit(here, { ...locked, id }, bindTo(answers, given))
      // Whether an answer names its request depends on what was sent.
      const now = waiting.map((one, place) => ({
        ...one,
        answer: answers[place]?.answer ?? one.answer,
      }))
      return answerRequests(transaction, ctx, { id, eventId, locked, run, answers: now })
    })
  const responded = await ctx.answers.run(`${ctx.accountId} ${id}`, transact, {
    ms: answerWaitMs,
    late: () => cannot(ctx, 'rate_limited', 'others answer the run', { retryAfterSeconds: 1 }),
  })
  ctx.queue.wake()
  ctx.feed.changed(id)
  const type = responded.status === 'waiting_input' ? 'run.approval_given' : 'run.resumed'
  ctx.acknowledged.add({ accountId: ctx.accountId, runId: id }, [{ id: eventId, type }])
  return responded
}

/** How long an answer waits for others to the same run. */
const answerWaitMs = 1_500

/** Null and "" count as absent. */
function withoutEmpty(body: RespondToRun): Parameters<typeof readGiven>[0] {
  const plain = (given: object): object =>
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== ''))
  const decisions = body.decisions?.map(plain)
  return { ...plain(body), ...(decisions && { decisions }) } as Parameters<typeof readGiven>[0]
}

/** Answers bound to the requests that were read, even if they name none. */
function bindTo(answers: FittingAnswer[], given: Given): Given {
  const bind = <T extends GivenAnswer>(one: T, place: number): T => {
    const pending_id = answers[place]?.pending.id
    return pending_id === undefined ? one : { ...one, pending_id }
  }
  return 'decisions' in given ? { decisions: given.decisions.map(bind) } : bind(given, 0)
}

async function fit(
  { database, accountId }: Pick<Context, 'database' | 'accountId'>,
  run: { id: string; status: RunStatus; pending: PendingRequest | null },
  given: Given,
): Promise<FittingAnswer[]> {
  const found = requestsFor(run, given)
  if (found.kind === 'fit') return found.answers
  if (found.code === 'unknown_call' && 'decisions' in given) {
    for (const [place, { call_id: callId }] of given.decisions.entries()) {
      const isOver = await isDecided(database, { accountId, runId: run.id, callId })
      const why = `decisions[${place}].call_id is ${callId}, which was decided already`
      if (isOver) throw toError({ code: 'call_decided', why })
    }
  }
  throw toError(found)
}

/** One decision in an event. */
interface Decided {
  pending_id: string
  call_id?: string
  decision: string
  given?: number
  required?: number
}

/** The result of an answer that was already given under the same key. */
async function findDone(
  { database, accountId }: Pick<Context, 'database' | 'accountId'>,
  id: string,
  eventId: string,
): Promise<RespondedRun | undefined> {
  const event = await findEvent(database, accountId, id, eventId)
  if (event === undefined) return undefined
  const { decisions, ...only } = event.data as unknown as Decided & { decisions?: Decided[] }
  // A rejected budget request ends a run; a rejected tool call does not.
  if (only.call_id === undefined && only.decision === 'rejected') return { id, status: 'failed' }
  const status = event.type === 'run.approval_given' ? 'waiting_input' : 'running'
  return { id, status, ...outcomeOf(decisions ?? only) }
}

/** The response about one answer, or about each of several decisions. */
function outcomeOf(decided: Decided | Decided[]): Omit<RespondedRun, 'id' | 'status'> {
  if (!Array.isArray(decided)) return approvalsOf(decided)
  const decisions = decided.map(({ call_id = '', decision, ...rest }) => ({
    call_id,
    decision: decision as CallDecision,
    ...approvalsOf(rest),
  }))
  return { decisions }
}

function approvalsOf({
  given,
  required,
}: Pick<Decided, 'given' | 'required'>): Pick<RespondedRun, 'approvals'> {
  return given === undefined || required === undefined ? {} : { approvals: { given, required } }
}

interface Request {
  id: string
  eventId: string
  locked: LockedRun
  /** Facts about the run that rules are evaluated on; they never change. */
  run: Pick<Run, 'workflow_id' | 'tags'>
  answers: FittingAnswer[]
}

/**
 * Decides the calls or the budget request that the run waits for, or keeps waiting for more
 * approvals.
 */
async function answerRequests(
  transaction: Transaction,
  ctx: Context,
  { id, eventId, locked, run, answers }: Request,
): Promise<RespondedRun> {
  const policies = await readPolicies(transaction, ctx.accountId)
  const [first] = answers
  if (locked.pending === null || first === undefined) throw new Error(`Run ${id} waits for nothing`)
  const { pending, answer } = first
  if (pending.cost !== undefined) {
    const { cost, id: pendingId } = pending
    const refusal = refuseSender({ ...locked, pending, policies, sender: ctx, answer })
    if (refusal !== undefined) throw toError(refusal)
    return answerCost(transaction, ctx, { id, eventId, locked, pendingId, cost, answer })
  }
  const outcomes = new Map<string, PendingRequest | 'decided'>()
  const decisions: Decided[] = []
  for (const one of answers) {
    const judged = await answerCall(transaction, ctx, { id, locked, run, policies }, one)
    outcomes.set(one.pending.id, judged.pending)
    decisions.push(judged.decided)
  }
  const data = {
    ...decisions[0],
    decided_by: ctx.actor.id,
    ...(first.path !== '' && { decisions }),
  }
  await recordAudit(transaction, ctx, { objectId: id, after: data })
  const rest = restOf(locked.pending, outcomes)
  const key = { accountId: ctx.accountId, runId: id }
  const said = outcomeOf(first.path === '' ? (decisions[0] as Decided) : decisions)
  if (rest !== null && !outcomes.values().some((one) => one === 'decided')) {
    const events: RunEvent[] = [{ id: eventId, type: 'run.approval_given', data }]
    if (caseIdOf(rest) !== caseIdOf(locked.pending)) events.push(waitingEvent(id, rest))
    await waitOn(transaction, key, rest, events)
    return { id, status: 'waiting_input', ...said }
  }
  await resumeRun(transaction, key, [{ id: eventId, type: 'run.resumed', data }], rest)
  return { id, status: 'running', ...said }
}

/** Decides one call, or adds an approval to it. */
async function answerCall(
  transaction: Transaction,
  ctx: Context,
  { id, locked, run, policies }: Pick<Request, 'id' | 'locked' | 'run'> & { policies: Policies },
  one: FittingAnswer,
): Promise<{ pending: PendingRequest | 'decided'; decided: Decided }> {
  const { pending, answer, path } = one
  const { reason, tool_input: edited } = answer
  const { call_id: callId } = pending
  if (callId === undefined) throw new Error(`Run ${id} waits for no call and no cost`)
  const where = { accountId: ctx.accountId, runId: id, callId }
  const call = await findCall(transaction, where)
  if (answer.action === 'approve')
    await refuseByRules({ ...ctx, database: transaction }, { id, run, policies, call }, one)
  const judged = judgeAnswer({
    ...locked,
    pending,
    call,
    policies,
    sender: ctx,
    answer,
    newPendingId: newId('pnd'),
  })
  if (judged.kind === 'refused') throw toError(within(path, judged))
  if (edited !== undefined) await editCall(transaction, where, edited)
  const decided = {
    pending_id: pending.id,
    call_id: callId,
    decision: judged.kind === 'decided' ? judged.state.decision : judged.decision,
    ...(reason === undefined ? {} : { reason }),
    ...(judged.kind === 'waits' && { given: judged.given, required: judged.required }),
  }
  if (judged.kind === 'waits') return { pending: judged.pending, decided }
  const { state, approvals } = judged
  await decideCall(transaction, { ...where, ...state, decidedBy: ctx.actor, reason, approvals })
  return { pending: 'decided', decided }
}
