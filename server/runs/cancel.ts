import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { applyChanges } from '../engine/state/execution-store.ts'
import { runNotFound } from './retrieve.ts'
import { failRun, failStep, isTerminal, type RunFailure } from '../engine/state/run.ts'
import type { Run } from './schema.ts'
import * as store from './store.ts'

const cancelled: RunFailure = { code: 'cancelled', message: 'cancelled by request' }
const beforeAStep: RunFailure = {
  code: 'cancelled',
  message: 'cancelled by request before a step was in progress',
}

/**
 * Ends a run that has not ended; one that has comes back unchanged. Its worker sees that it lost the
 * run and aborts the model call in flight.
 */
export async function cancelRun(ctx: Context, id: string): Promise<Run> {
  const run = await ctx.database.transaction().execute(async (transaction) => {
    const locked = await store.lockRun(transaction, ctx.accountId, id)
    if (locked === undefined) throw runNotFound('cancel run', id)
    if (isTerminal(locked.run.status)) return locked.run
    const fence = { runId: id, accountId: ctx.accountId, attempt: locked.attempt }
    const change =
      locked.step === null ? failRun(fence, beforeAStep) : failStep(fence, locked.step, cancelled)
    await applyChanges(transaction, [change])
    await recordAudit(transaction, ctx, {
      objectId: id,
      before: { status: locked.run.status },
      after: { status: 'failed' },
    })
    return store.findRun(transaction, ctx.accountId, id)
  })
  ctx.watcher.changed(id)
  if (run === undefined) throw runNotFound('cancel run', id)
  return run
}
