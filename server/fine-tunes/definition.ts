import type { Services } from '../context.ts'
import { done, type Outcome } from '../work/outcome.ts'
import type { Work } from '../work/worker.ts'
import { isActive } from './job.ts'
import { refreshJob } from './jobs.ts'
import { ProviderError, type FineTuneClient } from './providers/contract.ts'
import { stopJob } from './stop.ts'
import * as store from './tracking-store.ts'
import type { DueJob } from './tracking-store.ts'

/**
 * Fine-tunes as work: `next_sync_at` says when a job is due, once a minute while it is active, and at once when it has ended
 * and its file has to be deleted. A job whose process died while creating it is failed. What is done with a job sets its
 * next time; a job that could not be followed is due again when its claim expires.
 */
type FollowServices = Pick<Services, 'database' | 'fineTunes' | 'log'>

export function fineTuneWork(services: FollowServices, everyMs: number): Work<DueJob> {
  return {
    what: 'following a fine-tune',
    table: store.dueJobs,
    atOnce: 32,
    perAccount: 10,
    everyMs,
    run: (job) => follow(services, job),
    settle: async () => {},
  }
}

async function follow(services: FollowServices, job: DueJob): Promise<Outcome> {
  const client = services.fineTunes.clientOf(job.provider)
  try {
    if (client !== undefined) await advance(services, client, job)
    // Another process may have the provider's key, or this one after its next start.
    else if (job.isOld === true) await store.finishCleanUp(services.database, job)
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const facts = { fineTuneId: job.id, why: error.message }
    services.log.warn(facts, 'following a fine-tune failed')
  }
  return done(undefined)
}

async function advance(
  services: FollowServices,
  client: FineTuneClient,
  job: DueJob,
): Promise<void> {
  const { database } = services
  if (job.stage === 'uploading') {
    const why = 'The process that made the job has ended before it asked for the job'
    await store.failMaking(database, job, why)
  } else if (job.stage === 'creating') {
    const why = `The process that made the job has ended. ${store.lookFor(job, job.provider_file_id)}`
    await store.failLost(database, job, why)
  } else if (isActive(job.status) && job.deleted_at === null) {
    await refreshJob(services, job)
  } else {
    if (job.isOld !== true) await cleanUp(services, client, job)
    await store.finishCleanUp(database, job)
  }
}

/** Deletes the file of a finished job; cancels a deleted one first. */
async function cleanUp(
  services: FollowServices,
  client: FineTuneClient,
  job: DueJob,
): Promise<void> {
  const { provider_job_id: jobId, provider_file_id: fileId } = job
  if (isActive(job.status) && jobId !== null) await stopJob(client, jobId)
  if (fileId !== null) await client.deleteFile(fileId)
  if (job.drops_model) await deleteModel(services, client, job)
}

/** Called when the account is deleted. Some APIs cannot delete models. */
async function deleteModel(
  { log }: FollowServices,
  client: FineTuneClient,
  { id, fine_tuned_model: model }: DueJob,
): Promise<void> {
  if (model === null) return
  try {
    await client.deleteModel(model)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error
    const facts = { fineTuneId: id, model, why: error.message }
    log.warn(facts, 'the provider keeps the model of a deleted account')
  }
}
