import { trace } from '@opentelemetry/api'
import type { Services } from '../context.ts'
import { Batcher } from '../db/batcher.ts'
import type { Metrics } from '../metrics.ts'
import type { Job } from '../queue/queue.ts'
import { QueueWorker, type Outcome } from '../queue/worker.ts'
import { applyChanges, readOwned, releaseRun } from '../runs/execution-store.ts'
import { isTerminal, type Change, type Fence, type Usage } from '../runs/run.ts'
import { runCrew, type Halt, type Release } from './run-crew.ts'
import { createTaker, type TakenRun, type Taker } from './take.ts'
import { Turnstile } from './turnstile.ts'

/**
 * Takes runs from the queue and carries each to its next rest.
 *
 * A batch of jobs becomes a batch of taken runs (`take.ts`); each goes through its crew
 * (`run-crew.ts`), holding a slot but no connection. What a run writes at a step boundary is a
 * `Change`; changes that arrive together share one statement. A worker that lost a run, because it
 * was cancelled or taken over, learns so from a write that changed nothing or from the heartbeat, and
 * stops quietly. A run that falls over leaves its job in the queue, where it comes again when its
 * heartbeats have stopped.
 */
export interface ExecutorOptions {
  services: Services
  metrics: Metrics
  runConcurrency: number
  accountConcurrency: number
}

const drainMs = 20_000
const handBackMs = 5_000

interface Active {
  fence: Fence
  halt: AbortController
}

export class Executor {
  readonly #services: Services
  readonly #metrics: Metrics
  readonly #worker: QueueWorker
  readonly #draining = new AbortController()
  readonly #active = new Map<string, Active>()
  readonly #take: Taker
  readonly #changes: Batcher<Change, boolean>
  readonly #notes = new Turnstile()

  constructor({ services, metrics, runConcurrency, accountConcurrency }: ExecutorOptions) {
    this.#services = services
    this.#metrics = metrics
    // Steps do not wait for what they write, so there is time to gather.
    this.#changes = new Batcher((changes) => applyChanges(services.database, changes), {
      minGapMs: 5,
    })
    this.#take = createTaker(services, (change) => this.#write(change))
    this.#worker = new QueueWorker(services.queue, {
      concurrency: runConcurrency,
      groupConcurrency: accountConcurrency,
      start: (jobs) => this.#start(jobs),
      onHeartbeat: () => this.#abortLost(),
      onError: (error, runId) => services.log.error({ err: error, runId }, 'executor failed'),
    })
  }

  /** Gives steps in progress 20 s to end, and hands their runs back at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    const runs = this.#worker.inProgress
    if (runs > 0) {
      const message = 'waiting up to 20 s for steps in progress; a second signal stops at once'
      this.#services.log.info({ runs }, message)
    }
    this.#draining.abort()
    await this.#worker.drain(drainMs)
    for (const { halt } of this.#active.values()) halt.abort('stopping' satisfies Halt)
    await this.#worker.drain(handBackMs)
    await this.#worker.stop()
  }

  #start(jobs: Job[]): Promise<Outcome>[] {
    const newest = new Map<string, Job>()
    for (const job of jobs) {
      if (job.generation > (newest.get(job.key)?.generation ?? -1)) newest.set(job.key, job)
    }
    const taken = this.#take([...newest.values()])
    return jobs.map(async (job) => {
      // A second job of a run, left over by a crash, has nothing to add.
      if (newest.get(job.key) !== job) return 'done'
      const run = (await taken).get(job.key)
      // A run at rest has nothing to wake. One that another worker took keeps its job.
      if (run === undefined) return 'left'
      return run === 'at-rest' ? 'done' : this.#carry(job, run)
    })
  }

  async #carry(job: Job, run: TakenRun): Promise<Outcome> {
    const { runId } = run.fence
    const active: Active = { fence: run.fence, halt: new AbortController() }
    this.#active.set(runId, active)
    try {
      const end = await trace
        .getTracer('muster')
        .startActiveSpan('run', { attributes: { 'muster.run.id': runId } }, async (span) => {
          const deps = {
            services: this.#services,
            draining: this.#draining.signal,
            write: (change: Change) => this.#write(change),
            notes: this.#notes,
            countUsage: (model: string, usage: Usage) => this.#metrics.countUsage(model, usage),
          }
          return runCrew(deps, run, active.halt).finally(() => span.end())
        })
      if (end === 'rested') return 'done'
      return end === 'lost' ? 'left' : await this.#release(job, run, end)
    } finally {
      if (this.#active.get(runId) === active) this.#active.delete(runId)
    }
  }

  async #write(change: Change): Promise<boolean> {
    const applied = await this.#changes.add(change)
    if (applied) {
      this.#services.watcher.changed(change.runId)
      this.#metrics.count(change)
      if (isTerminal(change.status)) this.#log(change)
    }
    return applied
  }

  /** Puts the run's job off, unless the run is not this worker's any more. */
  async #release(job: Job, { fence }: TakenRun, release: Release): Promise<Outcome> {
    const { database, queue } = this.#services
    await database.transaction().execute(async (transaction) => {
      if (!(await releaseRun(transaction, fence, release))) return
      this.#metrics.countUsage(release.model, release.usage)
      await queue.replace(transaction, job.id, {
        key: fence.runId,
        generation: job.generation,
        group: fence.accountId,
        delaySeconds: release.delaySeconds,
      })
    })
    queue.wake()
    return 'left'
  }

  async #abortLost(): Promise<void> {
    const active = [...this.#active.values()]
    if (active.length === 0) return
    const owned = await readOwned(
      this.#services.database,
      active.map(({ fence }) => fence),
    )
    for (const { fence, halt } of active) {
      if (!owned.has(fence.runId)) halt.abort('lost' satisfies Halt)
    }
  }

  #log({ runId, accountId, status, errorCode }: Change): void {
    this.#services.log.info({ runId, accountId, status, errorCode }, 'run ended')
  }
}
