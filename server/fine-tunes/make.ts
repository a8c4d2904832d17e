import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Services } from '../context.ts'
import { isActive, toChange, type ProviderJob } from './job.ts'
import { ProviderError, type FineTuneClient } from './providers/contract.ts'
import type { Hyperparameters } from './schema.ts'
import { stopJob } from './stop.ts'
import { findJob, type JobRow } from './store.ts'
import * as store from './tracking-store.ts'

/**
 * Makes a job at its provider, in two stages that are committed before their call goes out.
 *
 *     uploading → creating → created
 *
 * In `uploading` nothing exists at the provider but, perhaps, a file, which is found by its name; who
 * takes the job over goes on. In `creating` the create was or was not sent, so it is never sent again:
 * the job is looked for by its file, and after two minutes without a trace it is `failed`.
 */
type MakeServices = Pick<Services, 'database' | 'log'>

/** A set of the shortest lines grows by less than this when it becomes messages. */
const maxContentBytes = 128 * 1024 * 1024

/**
 * Uploads the training set and creates the job. Throws a `ProviderError` where the upload failed, so
 * that no job exists and none will.
 */
export async function makeJob(
  services: MakeServices,
  client: FineTuneClient,
  job: JobRow,
  gzip: Uint8Array,
): Promise<void> {
  const { database } = services
  const renewal = setInterval(() => {
    store.renewLease(database, job).catch((error: unknown) => {
      services.log.error({ err: error, fineTuneId: job.id }, 'renewing a lease failed')
    })
  }, store.renewMs)
  try {
    const fileId = await upload(client, job, gzip)
    if (!(await store.startCreating(database, job, fileId))) {
      // While the job goes on, who took it over may train on the file.
      const now = await findJob(database, job.account_id, job.id)
      const isOver = now === undefined || !isActive(now.status)
      if (isOver) await client.deleteFile(fileId).catch(() => {})
      return
    }
    await create(services, client, job, fileId)
  } finally {
    clearInterval(renewal)
  }
}

/** Deletes what was uploaded for a job, as far as it is to be found, where nobody goes on with it. */
export async function dropUpload(client: FineTuneClient, job: JobRow): Promise<void> {
  const fileId = await client.findFile(fileNameOf(job))
  if (fileId !== undefined) await client.deleteFile(fileId)
}

function fileNameOf({ id }: JobRow): string {
  return `${id}.jsonl`
}

async function upload(client: FineTuneClient, job: JobRow, gzip: Uint8Array): Promise<string> {
  const name = fileNameOf(job)
  // A process before this one may have uploaded it.
  const found = job.attempt === 0 ? undefined : await client.findFile(name)
  if (found !== undefined) return found
  const content = await promisify(gunzip)(gzip, { maxOutputLength: maxContentBytes })
  return client.uploadFile(name, new Blob([content]))
}

async function create(
  services: MakeServices,
  client: FineTuneClient,
  job: JobRow,
  fileId: string,
): Promise<void> {
  let made: ProviderJob
  try {
    made = await client.createJob({
      id: job.id,
      fileId,
      baseModel: job.base_model,
      suffix: job.suffix,
      hyperparameters: job.hyperparameters as Hyperparameters,
    })
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    if (error.kind === 'rejected') {
      await store.failMaking(services.database, job, error.message)
      return
    }
    services.log.warn({ fineTuneId: job.id, why: error.message }, 'a create may have been lost')
    await findMade(services, client, { ...job, provider_file_id: fileId }).catch(() => {})
    return
  }
  await finish(services, client, job, made)
}

/** Looks for the job of a create whose answer is not known. Says whether it is there. */
export async function findMade(
  services: MakeServices,
  client: FineTuneClient,
  job: JobRow,
): Promise<boolean> {
  const found = job.provider_file_id && (await client.findJob(job.provider_file_id))
  if (!found) return false
  await finish(services, client, job, found)
  return true
}

async function finish(
  { database }: MakeServices,
  client: FineTuneClient,
  job: JobRow,
  made: ProviderJob,
): Promise<void> {
  const change = toChange({ status: 'queued', trainingRate: job.training_rate }, made)
  if (await store.finishCreating(database, job, made.id, change)) return
  const now = await findJob(database, job.account_id, job.id)
  // Another process found or made it first.
  if (now?.provider_job_id === made.id) return
  // It was cancelled, deleted or given up. Until the provider has heard of it, it stays to be found.
  const stopped = await stopJob(client, made.id)
  const provider = { jobId: made.id, status: stopped.providerStatus }
  await store.finishCancelled(database, job, provider)
}
