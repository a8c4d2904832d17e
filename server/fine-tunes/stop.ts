import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { cannot, type DomainError } from '../errors.ts'
import { isActive, toChange } from './job.ts'
import { askProvider, requireJob } from './jobs.ts'
import { ProviderError, type FineTuneClient, type ProviderJob } from './providers/contract.ts'
import { toFineTune, type FineTune } from './schema.ts'
import { applyChange, cancelJob, markDeleted, type JobRow } from './store.ts'

/** Cancels an active job at its provider; a finished one is returned unchanged. */
export async function cancelFineTune(ctx: Context, id: string): Promise<FineTune> {
  const job = await requireJob(ctx, id)
  if (!isActive(job.status)) return toFineTune(job)
  const ended = await stop(ctx, job)
  // Tries again if the job was created meanwhile, which happens only once.
  return ended === undefined ? cancelFineTune(ctx, id) : toFineTune(ended)
}

/** Undefined if the job ended, or was created at the provider, meanwhile. */
async function stop(ctx: Context, job: JobRow): Promise<JobRow | undefined> {
  // A job that is still being created has no id; its creator or the background loop cancels it.
  if (job.provider_job_id === null) return markCancelled(ctx, job, null)
  const client = ctx.fineTunes.clientOf(job.provider)
  if (client === undefined) throw unreachable(ctx, job, 'no longer has a key here')
  try {
    const answer = await client.cancelJob(job.provider_job_id)
    if (answer.status === 'succeeded' || answer.status === 'failed') {
      const change = toChange({ status: job.status, trainingRate: job.training_rate }, answer)
      if (!isActive(change.status)) return await applyChange(ctx.database, job, change)
    }
    return await markCancelled(ctx, job, answer.providerStatus)
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    // The provider refuses if the job has just ended.
    const now = error.kind === 'rejected' ? await askProvider(ctx, job) : job
    if (!isActive(now.status)) return now
    throw unreachable(ctx, job, error)
  }
}

/** Undefined if the job is no longer active, or got its id at the provider meanwhile. */
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

function unreachable({ action }: Context, job: JobRow, why: string | ProviderError): DomainError {
  const words = typeof why === 'string' ? ` ${why}` : `: ${why.message}`
  return cannot(
    { action: `${action} ${job.id}` },
    'provider_unavailable',
    `${job.provider_label}${words}`,
    { retryAfterSeconds: 5 },
  )
}

/**
 * Deletes a job, cancelled first if it is active; its model can no longer be used. If the provider
 * cannot be reached, the background loop keeps trying to cancel it for a day.
 */
export async function deleteFineTune(ctx: Context, id: string): Promise<void> {
  const job = await requireJob(ctx, id)
  await ctx.database.transaction().execute(async (transaction) => {
    if (!(await markDeleted(transaction, job))) return
    await recordAudit(transaction, ctx, { objectId: id, before: toFineTune(job) })
  })
  const client = ctx.fineTunes.clientOf(job.provider)
  if (!isActive(job.status) || job.provider_job_id === null) return
  try {
    const answer = await client?.cancelJob(job.provider_job_id)
    // From now on the job no longer counts as unfinished.
    if (answer !== undefined) await cancelJob(ctx.database, job, answer.providerStatus)
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    ctx.log.warn({ fineTuneId: id, why: error.message }, 'stopping a deleted fine-tune failed')
  }
}

/** Cancels a job at its provider, which may refuse because it has ended, or for other reasons. */
export async function stopJob(client: FineTuneClient, jobId: string): Promise<ProviderJob> {
  try {
    return await client.cancelJob(jobId)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error
    const now = await client.retrieveJob(jobId)
    if (now.status === undefined || isActive(now.status)) throw error
    return now
  }
}
