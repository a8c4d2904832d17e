import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { applyChanges } from '../engine/journal/boundary.ts'
import { redefineRun, resumeRun, type LockedRun } from '../engine/journal/respond.ts'
import { readFrozen } from '../engine/reads/forks.ts'
import type { GivenAnswer } from '../engine/run/answer.ts'
import { noRoom, type CostFacts } from '../engine/run/pending.ts'
import { failStep } from '../engine/run/run.ts'
import type { RespondedRun } from '../engine/wire/pending.ts'

export interface CostAnswer {
  id: string
  eventId: string
  locked: LockedRun
  pendingId: string
  cost: CostFacts
  answer: GivenAnswer
}

/**
 * Answers a budget request of a locked run: allows the run to cost more, or ends it. The new limit
 * is written to its frozen definition.
 */
export async function answerCost(
  transaction: Transaction,
  ctx: Context,
  { id, eventId, locked, pendingId, cost, answer }: CostAnswer,
): Promise<RespondedRun> {
  const { type, id: actorId, name } = ctx.actor
  const { reason, max_cost_usd } = answer
  const isApproved = answer.action === 'approve'
  const data = {
    pending_id: pendingId,
    decision: isApproved ? 'approved' : 'rejected',
    decided_by: actorId,
    decider: { type, id: actorId, name },
    ...(max_cost_usd === undefined ? {} : { max_cost_usd }),
    ...(reason === undefined ? {} : { reason }),
  }
  await recordAudit(transaction, ctx, { objectId: id, after: data })
  const run = { accountId: ctx.accountId, runId: id }
  const event = { id: eventId, type: 'run.resumed', data } as const
  const body = await readFrozen(transaction, run)
  const { attempt, isTurn, step } = locked
  if (body === undefined || step === null) throw new Error(`Run ${id} waits but has not begun`)
  if (isApproved) {
    const before = body.approved?.runId === id ? body.approved : undefined
    const raised = cost.budget === undefined ? 'maxCostUsd' : 'beyondBudgetsUsd'
    const approved = { ...before, runId: id, [raised]: max_cost_usd }
    await redefineRun(transaction, run, { ...body, approved })
    await resumeRun(transaction, run, [event])
    return { id, status: 'running' }
  }
  const why = reason === undefined ? '' : `: ${reason}`
  const message = `${noRoom(cost)}; ${name} rejected more${why}`
  const change = failStep({ ...run, attempt, isTurn }, step, { code: 'budget_exceeded', message })
  await applyChanges(transaction, [{ ...change, events: [event, ...change.events] }])
  return { id, status: 'failed' }
}
