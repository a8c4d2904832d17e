import type { Context } from '../context.ts'
import { resumeRun } from '../engine/journal/respond.ts'
import { lockBudgetRequests, wakeHeldByBudgets } from '../engine/journal/wake.ts'
import { runEvent } from '../engine/run/step.ts'

/** Requests that one transaction closes, so that it locks the runs for a moment only. */
const batch = 100
/** Bounds the loop. */
const maxBatches = 1_000

/**
 * Lets runs go on that wait because of a budget that was raised, changed or deleted: their requests to people are
 * closed, and held runs try again. A run for which there is still no room waits or asks anew.
 */
export async function releaseWaits(ctx: Context, budgetId: string): Promise<void> {
  const { database, accountId } = ctx
  for (let count = 0; count < maxBatches; count++) {
    const closed = await database.transaction().execute(async (transaction) => {
      const requests = await lockBudgetRequests(transaction, accountId, budgetId, batch)
      for (const { runId, pendingId } of requests) {
        const data = { pending_id: pendingId, decision: 'withdrawn', decided_by: null }
        const event = runEvent(runId, 'run.resumed', data, pendingId)
        await resumeRun(transaction, { accountId, runId }, [event])
      }
      return requests
    })
    for (const { runId } of closed) ctx.feed.changed(runId)
    if (closed.length < batch) break
  }
  await wakeHeldByBudgets(database, accountId, { count: 500, onlyBehindCalls: false })
  ctx.queue.wake()
}
