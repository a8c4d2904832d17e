import type { Context, Services } from '../context.ts'
import { notFound } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { isActive, toChange } from './job.ts'
import { ProviderError } from './providers/contract.ts'
import { toFineTune, type FineTune } from './schema.ts'
import { applyChange, findJob, jobs, noteMissing, takePoll, type JobRow } from './store.ts'

/**
 * Fine-tunes of an account: jobs at a provider that train a model. A job is queued, validating or
 * running, and ends as succeeded, failed or cancelled. It is stored first and then made in stages
 * (`make.ts`); `definition.ts` follows it in the background, and a read here refreshes it. The
 * provider decides the status; the service itself fails a job only if it could not be made or the
 * provider no longer knows it.
 */

type RefreshServices = Pick<Services, 'database' | 'fineTunes' | 'log'>

/** Newest first, 100 by default, each refreshed from its provider. */
export async function listFineTunes(
  ctx: Context,
  { limit = 100, after }: PageRequest,
): Promise<Page<FineTune>> {
  const where = { deleted_at: null }
  const { items, next } = await jobs.list(ctx.reads, ctx.accountId, { limit, after }, where)
  // In parallel, so that a slow provider costs one timeout, not one for each job.
  const now = await Promise.all(items.map((job) => refreshJob(ctx, job)))
  return { items: now.map(toFineTune), next }
}

/** The job, refreshed from its provider. */
export async function retrieveFineTune(ctx: Context, id: string): Promise<FineTune> {
  return toFineTune(await refreshJob(ctx, await requireJob(ctx, id)))
}

export async function requireJob(ctx: Context, id: string): Promise<JobRow> {
  const job = await findJob(ctx.database, ctx.accountId, id)
  if (job === undefined) throw notFound(ctx, 'fine-tune', id)
  return job
}

/**
 * A job, refreshed from its provider. If the provider is down or slow, or was asked within the last
 * second, the stored job is returned.
 */
export async function refreshJob(services: RefreshServices, job: JobRow): Promise<JobRow> {
  if (!isActive(job.status) || job.stage !== 'created') return job
  return (await takePoll(services.database, job, 'polled_at')) ? askProvider(services, job) : job
}

/** Like `refreshJob`, but always asks the provider. */
export async function askProvider(services: RefreshServices, job: JobRow): Promise<JobRow> {
  const { database, fineTunes, log } = services
  const client = fineTunes.clientOf(job.provider)
  if (client === undefined || job.provider_job_id === null) return job
  try {
    const told = await client.retrieveJob(job.provider_job_id)
    const change = toChange({ status: job.status, trainingRate: job.training_rate }, told)
    // The job may have been cancelled or deleted meanwhile.
    const changed = await applyChange(database, job, change)
    return changed ?? (await findJob(database, job.account_id, job.id)) ?? job
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    log.warn({ fineTuneId: job.id, why: error.message }, 'a refresh failed')
    if (error.status !== 404) return job
    const noted = await noteMissing(database, job)
    return noted ?? (await findJob(database, job.account_id, job.id)) ?? job
  }
}
