import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { isActive, toChange } from './job.ts'
import { ProviderError } from './providers/contract.ts'
import { askProvider } from './refresh.ts'
import { requireJob } from './retrieve.ts'
import type { FineTune } from './schema.ts'
import { applyChange, cancelJob, type JobRow } from './store.ts'
import { toFineTune } from './to-wire.ts'

/** Stops an active job at its provider; one that has ended comes back unchanged. */
export async function cancelFineTune(ctx: Context, id: string): Promise<FineTune> {
  const job = await requireJob(ctx, 'cancel fine-tune', id)
  if (!isActive(job.status)) return toFineTune(job)
  const ended = await stop(ctx, job)
  // Once more where it was made meanwhile, which happens once.
  return ended === undefined ? cancelFineTune(ctx, id) : toFineTune(ended)
}

/** Undefined where the job ended, or was made at the provider, meanwhile. */
async function stop(ctx: Context, job: JobRow): Promise<JobRow | undefined> {
  const { database, accountId } = ctx
  // One that is still being made has no id; the maker, or the background, stops it there.
  if (job.provider_job_id === null) return markCancelled(ctx, job, null)
  const client = ctx.fineTunes.clientOf(job.provider)
  if (client === undefined) throw unreachable(job, `${job.provider_label} no longer has a key here`)
  try {
    const told = await client.cancelJob(job.provider_job_id)
    if (told.status === 'succeeded' || told.status === 'failed') {
      const change = toChange({ status: job.status, trainingRate: job.training_rate }, told)
      if (!isActive(change.status)) return await applyChange(database, accountId, job.id, change)
    }
    return await markCancelled(ctx, job, told.providerStatus)
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    // It is refused when the job has just ended there.
    const now = error.kind === 'rejected' ? await askProvider(ctx, job) : job
    if (!isActive(now.status)) return now
    throw unreachable(job, `${job.provider_label}: ${error.message}`)
  }
}

/** Undefined where it is no longer active, or got its id at the provider meanwhile. */
function markCancelled(
  ctx: Context,
  job: JobRow,
  providerStatus: string | null,
): Promise<JobRow | undefined> {
  return ctx.database.transaction().execute(async (transaction) => {
    const cancelled = await cancelJob(transaction, job, providerStatus)
    if (cancelled !== undefined) {
      const change = { before: { status: job.status }, after: { status: cancelled.status } }
      await recordAudit(transaction, ctx, { objectId: job.id, ...change })
    }
    return cancelled
  })
}

function unreachable(job: JobRow, why: string): DomainError {
  return new DomainError('provider_unavailable', `Cannot cancel fine-tune ${job.id}: ${why}`, {
    retryAfterSeconds: 5,
  })
}
