import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { applyChanges } from '../engine/journal/boundary.ts'
import { failRun, failStep, isTerminal, type RunFailure } from '../engine/run/run.ts'
import type { Run } from '../engine/wire/run.ts'
import * as store from '../engine/reads/runs.ts'
import { lockRun } from '../engine/journal/respond.ts'
import type { RunEvent } from '../engine/run/step.ts'

const cancelled: RunFailure = { code: 'cancelled', message: 'cancelled by request' }
const beforeAStep: RunFailure = {
  code: 'cancelled',
  message: 'cancelled by request before a step was in progress',
}

/**
 * Cancels an unfinished run; a finished one is returned unchanged. The run's worker notices that it
 * lost the run and aborts the model call in flight.
 */
export async function cancelRun(ctx: Context, id: string): Promise<Run> {
  let events: RunEvent[] = []
  const run = await ctx.database.transaction().execute(async (transaction) => {
    const locked = await lockRun(transaction, { accountId: ctx.accountId, runId: id })
    if (locked === undefined) throw notFound(ctx, 'run', id)
    const { status, attempt, isTurn, step } = locked
    if (!isTerminal(status)) {
      const fence = { runId: id, accountId: ctx.accountId, attempt, isTurn }
      const change = step === null ? failRun(fence, beforeAStep) : failStep(fence, step, cancelled)
      await applyChanges(transaction, [change])
      events = change.events
      await recordAudit(transaction, ctx, {
        objectId: id,
        before: { status },
        after: { status: 'failed' },
      })
    }
    return store.findRun(transaction, ctx.accountId, id)
  })
  ctx.feed.changed(id)
  ctx.acknowledged.add({ accountId: ctx.accountId, runId: id }, events)
  if (run === undefined) throw notFound(ctx, 'run', id)
  return run
}
