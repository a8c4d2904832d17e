import type { Context, Services } from '../context.ts'
import { isActive, toChange } from './job.ts'
import { ProviderError } from './providers/contract.ts'
import { applyChange, findJob, takePoll, type JobRow } from './store.ts'

type RefreshServices = Pick<Services, 'database' | 'fineTunes' | 'log'>

/**
 * A job as its provider reports it now. What is stored is the answer where the provider is down or slow,
 * and for a second after it was asked.
 */
export async function refreshJob(services: RefreshServices, job: JobRow): Promise<JobRow> {
  if (!isActive(job.status) || job.stage !== 'created') return job
  if (!(await takePoll(services.database, job.account_id, job.id, 'polled_at'))) return job
  return askProvider(services, job)
}

/** As `refreshJob`, for one who may ask at once. */
export async function askProvider(services: RefreshServices, job: JobRow): Promise<JobRow> {
  const client = services.fineTunes.clientOf(job.provider)
  if (client === undefined || job.provider_job_id === null) return job
  try {
    const told = await client.retrieveJob(job.provider_job_id)
    const change = toChange({ status: job.status, trainingRate: job.training_rate }, told)
    const { database } = services
    const changed = await applyChange(database, job.account_id, job.id, change)
    // It was cancelled or deleted meanwhile.
    return changed ?? (await findJob(database, job.account_id, job.id)) ?? job
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    services.log.warn({ fineTuneId: job.id, why: error.message }, 'a refresh failed')
    return job
  }
}

/** Several at once; a provider that is slow holds them up for one time-out, not for one each. */
export function refreshJobs(ctx: Context, jobs: JobRow[]): Promise<JobRow[]> {
  return Promise.all(jobs.map((job) => refreshJob(ctx, job)))
}
