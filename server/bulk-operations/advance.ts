import { backgroundContext, forResource } from '../accounts/background-context.ts'
import type { Context, Services } from '../context.ts'
import { logFailure } from '../db/outage.ts'
import { findRetries } from '../engine/reads/run-figures.ts'
import { DomainError } from '../errors.ts'
import { derivedId } from '../ids.ts'
import { cancelRun } from '../runs/cancel.ts'
import { retryRun } from '../runs/retry.ts'
import * as store from './store.ts'
import type { DueOperation } from './store.ts'

/**
 * Executes bulk operations in the background, some runs of each at a time. After a crash another
 * process repeats the pass with the same result: a cancelled run stays cancelled, and the id of a
 * retry is derived from the operation and the run.
 */
const bounds = { operations: 10, runs: 50 }

/** Returns true if more is due at once. */
export async function advanceBulkOperations(services: Services): Promise<boolean> {
  const due = await store.claimDue(services.database, bounds)
  for (const operation of due) await advance(services, operation)
  return due.length > 0
}

async function advance(services: Services, operation: DueOperation): Promise<void> {
  const { accountId, id, action, createdBy, creatorName, runIds } = operation
  let done = 0
  try {
    const ctx = await backgroundContext(services, accountId, {
      cause: { id: createdBy, name: creatorName },
      action: `${action} run`,
      audit: action === 'cancel' ? 'run.cancelled' : 'run.retried',
      reservedId: id,
    })
    const work = action === 'cancel' ? cancel : await retryOf(ctx, operation)
    for (const runId of runIds) {
      try {
        if (await work(forResource(ctx, runId), runId)) done += 1
      } catch (error) {
        // A run that rejects the action must not stop the others.
        if (!(error instanceof DomainError) || error.type === 'unavailable') throw error
      }
    }
  } catch (error) {
    // The pass is repeated when its lease expires.
    return logFailure(services.log, error, 'a bulk operation cannot go on', { accountId, id })
  }
  await store.recordProgress(services.database, operation, { done, skipped: runIds.length - done })
}

async function cancel(ctx: Context, runId: string): Promise<boolean> {
  return (await cancelRun(ctx, runId)).error_code === 'cancelled'
}

/** Retries a run unless it has already been retried. */
async function retryOf(
  { database, accountId }: Context,
  { id, runIds }: DueOperation,
): Promise<(ctx: Context, runId: string) => Promise<boolean>> {
  const retries = await findRetries(database, accountId, runIds)
  return async (ctx, runId) => {
    const newId = derivedId('run', id, runId)
    if (retries.get(runId)?.some((one) => one !== newId) === true) return false
    await retryRun(ctx, runId, newId)
    return true
  }
}
