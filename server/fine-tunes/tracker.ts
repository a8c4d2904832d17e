import type { Services } from '../context.ts'
import { logFailure } from '../db/outage.ts'
import { loop, type Loop } from '../loop.ts'
import { isActive } from './job.ts'
import { ProviderError, type FineTuneClient } from './providers/contract.ts'
import { askProvider } from './jobs.ts'
import { stopJob } from './stop.ts'
import * as store from './tracking-store.ts'
import type { DueJob } from './tracking-store.ts'

/**
 * Follows jobs in the background. `next_sync_at` says when a job is due: once a minute while it is
 * active, and at once when it has ended and its file has to be deleted. A claim moves it forward,
 * so each job is handled by one process at a time and several processes share the work. A job whose
 * process died while creating it is `failed`.
 */
type TrackerServices = Pick<Services, 'database' | 'fineTunes' | 'log'>

const batch = 200
/** Maximum parallel calls. */
const concurrency = 32

export class Tracker {
  readonly #services: TrackerServices
  readonly #loop: Loop

  constructor(services: TrackerServices, everyMs = 1_000) {
    this.#services = services
    this.#loop = loop({
      everyMs,
      tick: async () => (await this.tick()) === batch,
      onError: (error) => logFailure(services.log, error, 'following fine-tunes failed'),
      startsAtOnce: true,
    })
  }

  /** Handles due jobs; returns how many there were. */
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

  /** Waits for calls in flight, which have timeouts. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.stop()
  }

  async #look(job: DueJob): Promise<void> {
    const client = this.#services.fineTunes.clientOf(job.provider)
    // Another process may have the provider's key, or this one after its next start.
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
    if (job.stage === 'uploading') {
      const why = 'The process that made the job has ended before it asked for the job'
      await store.failMaking(this.#services.database, job, why)
    } else if (job.stage === 'creating') {
      const why = `The process that made the job has ended. ${store.lookFor(job, job.provider_file_id)}`
      await store.failLost(this.#services.database, job, why)
    } else if (isActive(job.status) && job.deleted_at === null) {
      await askProvider(this.#services, job)
    } else {
      await this.#cleanUp(client, job)
    }
  }

  /** Deletes the file of a finished job; cancels a deleted one first. */
  async #cleanUp(client: FineTuneClient, job: DueJob): Promise<void> {
    if (!job.isOld) {
      const { provider_job_id: jobId, provider_file_id: fileId } = job
      if (isActive(job.status) && jobId !== null) await stopJob(client, jobId)
      if (fileId !== null) await client.deleteFile(fileId)
      if (job.drops_model) await this.#dropModel(client, job)
    }
    await this.#leave(job)
  }

  /** Called when the account is deleted. Some APIs cannot delete models. */
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
