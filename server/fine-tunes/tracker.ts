import type { Services } from '../context.ts'
import { logFailure } from '../db/outage.ts'
import { loop, type Loop } from '../loop.ts'
import { isActive } from './job.ts'
import { dropUpload, findMade, makeJob } from './make.ts'
import { ProviderError, type FineTuneClient } from './providers/contract.ts'
import { askProvider } from './jobs.ts'
import { stopJob } from './stop.ts'
import * as store from './tracking-store.ts'
import type { DueJob } from './tracking-store.ts'
import { uploadSlots } from './training/slots.ts'

/**
 * Follows jobs in the background. `next_sync_at` says when a job is due: once a minute while it is
 * active, and at once when it has ended and its file is to be dropped. A claim moves it on, so a job is
 * handled by one process at a time and several processes share the work. It also takes over what a
 * process left that died while it made a job.
 */
type TrackerServices = Pick<Services, 'database' | 'fineTunes' | 'log'>

const batch = 200
/** Calls under way at once. */
const concurrency = 32

export class Tracker {
  readonly #services: TrackerServices
  readonly #loop: Loop
  /** Jobs that are being made, which takes minutes where the provider is slow. */
  readonly #making = new Set<Promise<void>>()

  constructor(services: TrackerServices, everyMs = 1_000) {
    this.#services = services
    this.#loop = loop({
      everyMs,
      tick: async () => (await this.tick()) === batch,
      onError: (error) => logFailure(services.log, error, 'following fine-tunes failed'),
      startsAtOnce: true,
    })
  }

  /** Looks at what is due; returns how many jobs that were. Some may still be in the making then. */
  async tick(): Promise<number> {
    const jobs = await store.claimDue(this.#services.database, batch)
    const waiting = jobs.values()
    const work = async (): Promise<void> => {
      for (const job of waiting) {
        if (this.#loop.signal.aborted) return
        await this.#look(job)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    return jobs.length
  }

  /** Waits for the calls in flight, which are bounded in time. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.stop()
    await Promise.all(this.#making)
  }

  async #look(job: DueJob): Promise<void> {
    const client = this.#services.fineTunes.clientOf(job.provider)
    // Another process may have the key of its provider, or this one again after its next start.
    if (client === undefined) return job.isOld === true ? this.#leave(job) : undefined
    await this.#goOn(client, job).catch((error: unknown) => this.#report(job, error))
  }

  #report(job: DueJob, error: unknown): void {
    const isProvider = error instanceof ProviderError
    const facts = {
      fineTuneId: job.id,
      ...(isProvider ? { why: error.message } : { err: error }),
    }
    this.#services.log[isProvider ? 'warn' : 'error'](facts, 'following a fine-tune failed')
  }

  async #goOn(client: FineTuneClient, job: DueJob): Promise<void> {
    const isWanted = isActive(job.status) && job.deleted_at === null
    if (job.stage === 'creating' && job.isOld !== true) return this.#reconcile(client, job)
    if (!isWanted) return this.#cleanUp(client, job)
    if (job.stage === 'uploading') return this.#makeApart(client, job)
    await askProvider(this.#services, job)
  }

  /** The round does not wait for it. `uploadSlots` bounds how many there are. */
  #makeApart(client: FineTuneClient, job: DueJob): void {
    const making = this.#makeAgain(client, job)
      .catch((error: unknown) => this.#report(job, error))
      .finally(() => this.#making.delete(making))
    this.#making.add(making)
  }

  async #makeAgain(client: FineTuneClient, job: DueJob): Promise<void> {
    const { database } = this.#services
    using _slot = await uploadSlots.take(job.account_id, 'go on with fine-tune')
    if (this.#loop.signal.aborted) return
    const gzip = job.isLate ? undefined : await store.readDataset(database, job)
    if (gzip !== undefined) return makeJob(this.#services, client, job, gzip)
    await store.failMaking(database, job, 'The training set could not be uploaded for an hour')
  }

  async #reconcile(client: FineTuneClient, job: DueJob): Promise<void> {
    if (await findMade(this.#services, client, job)) return
    if (!job.isCreateLost) return
    const why = 'The provider did not say whether it made the job, and has none for the file'
    await store.failMaking(this.#services.database, job, why)
  }

  /** Drops the file of a job that has ended; one that was deleted is stopped first. */
  async #cleanUp(client: FineTuneClient, job: DueJob): Promise<void> {
    if (!job.isOld) {
      const { provider_job_id: jobId, provider_file_id: fileId } = job
      if (isActive(job.status) && jobId !== null) await stopJob(client, jobId)
      if (fileId !== null) await client.deleteFile(fileId)
      if (job.drops_model) await this.#dropModel(client, job)
      // Of several that made a job, one may have left a file that the row does not name.
      if (job.attempt > 0) await dropUpload(client, job)
    }
    await this.#leave(job)
  }

  /** As its account goes. Some APIs delete no models. */
  async #dropModel(client: FineTuneClient, { id, fine_tuned_model: model }: DueJob): Promise<void> {
    if (model === null) return
    try {
      await client.deleteModel(model)
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error
      const facts = { fineTuneId: id, model, why: error.message }
      this.#services.log.warn(facts, 'the provider keeps the model of a deleted account')
    }
  }

  async #leave(job: DueJob): Promise<void> {
    await store.finishCleanUp(this.#services.database, job)
  }
}
