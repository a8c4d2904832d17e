import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Services } from '../context.ts'
import { toChange } from './job.ts'
import { ProviderError, type FineTuneClient, type ProviderJob } from './providers/contract.ts'
import type { Hyperparameters } from './schema.ts'
import { stopJob } from './stop.ts'
import type { JobRow } from './store.ts'
import * as store from './tracking-store.ts'

/**
 * Creates a job at its provider within the request: uploads the file and creates the job; then
 * `definition.ts` follows it. Each stage (`uploading`, `creating`, `created`) is committed before its
 * call is sent. Each call is sent once: if the response to the create is lost, or the process dies,
 * the job is `failed`, and its error names the file by which a person can find what the provider
 * may have created.
 */
type MakeServices = Pick<Services, 'database' | 'log'>

/** A training set of very short lines grows by less than this when it is converted to messages. */
const maxContentBytes = 128 * 1024 * 1024

/** Throws `ProviderError` if the upload failed, so that no job exists. */
export async function makeJob(
  services: MakeServices,
  client: FineTuneClient,
  job: JobRow,
  gzip: Uint8Array,
): Promise<void> {
  const { database } = services
  const content = await promisify(gunzip)(gzip, { maxOutputLength: maxContentBytes })
  const fileId = await client.uploadFile(store.fileNameOf(job), new Blob([content]))
  if (!(await store.startCreating(database, job, fileId))) {
    const why = 'The job ended while its training set was uploaded'
    const isKept = await store.failMaking(database, job, why, fileId)
    if (!isKept) await client.deleteFile(fileId).catch(() => {})
    return
  }
  const made = await create(services, client, job, fileId)
  if (made === undefined) return
  const change = toChange({ status: 'queued', trainingRate: job.training_rate }, made)
  if (await store.finishCreating(database, job, made.id, change)) return
  // The job was cancelled, deleted or abandoned meanwhile.
  const stopped = await stopJob(client, made.id)
  await store.finishCancelled(database, job, { jobId: made.id, status: stopped.providerStatus })
}

async function create(
  { database, log }: MakeServices,
  client: FineTuneClient,
  job: JobRow,
  fileId: string,
): Promise<ProviderJob | undefined> {
  try {
    return await client.createJob({
      id: job.id,
      fileId,
      baseModel: job.base_model,
      suffix: job.suffix,
      hyperparameters: job.hyperparameters as Hyperparameters,
    })
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const isLost = error.kind === 'unknown'
    if (isLost) log.warn({ fineTuneId: job.id, why: error.message }, 'a create may have been lost')
    if (isLost)
      await store.failLost(database, job, `${error.message}. ${store.lookFor(job, fileId)}`)
    else await store.failMaking(database, job, error.message)
    return undefined
  }
}
