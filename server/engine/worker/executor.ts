import { trace } from '@opentelemetry/api'
import type { Services } from '../../context.ts'
import { Batcher } from '../../db/batcher.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Job } from '../queue/queue.ts'
import { QueueWorker, type Outcome } from '../queue/worker.ts'
import { applyChanges, readEnded, readOwned, releaseRun } from '../state/execution-store.ts'
import { isTerminal, type Change, type Fence, type Usage } from '../state/run.ts'
import { runCrew, type Halt, type Release } from './run-crew.ts'
import { createTaker, type TakenRun, type Taker } from './take.ts'
import { KeyedMutex } from './keyed-mutex.ts'

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
  generation: number
  halt: AbortController
  outcome: Promise<Outcome>
}

export class Executor {
  readonly #services: Services
  readonly #metrics: Metrics
  readonly #worker: QueueWorker
  readonly #draining = new AbortController()
  readonly #active = new Map<string, Active>()
  readonly #take: Taker
  readonly #changes: Batcher<Change, boolean>
  readonly #ended: Batcher<string, boolean>
  readonly #notes = new KeyedMutex()

  constructor({ services, metrics, runConcurrency, accountConcurrency }: ExecutorOptions) {
    this.#services = services
    this.#metrics = metrics
    // Steps do not wait for what they write, so there is time to gather.
    this.#changes = new Batcher((changes) => applyChanges(services.database, changes), {
      minGapMs: 5,
    })
    this.#ended = new Batcher(async (runIds) => {
      const ended = await readEnded(services.database, runIds)
      return runIds.map((id) => ended.has(id))
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
    // While the database was away, jobs may have come back of runs that are still carried here.
    const carried = (job: Job): Active | undefined => {
      const active = this.#active.get(job.key)
      return active?.generation === job.generation ? active : undefined
    }
    const taken = this.#take([...newest.values()].filter((job) => carried(job) === undefined))
    return jobs.map(async (job) => {
      // A second job of a run, left over by a crash, has nothing to add.
      if (newest.get(job.key) !== job) return 'done'
      const active = carried(job)
      if (active !== undefined) return active.outcome
      const run = (await taken).get(job.key)
      if (run === 'nothing-to-do') return 'done'
      return run === undefined ? this.#leave(job.key) : this.#carry(job, run)
    })
  }

  #carry(job: Job, run: TakenRun): Promise<Outcome> {
    const { fence } = run
    const halt = new AbortController()
    const outcome = this.#carryToRest(job, run, halt).finally(() => {
      if (this.#active.get(fence.runId)?.outcome === outcome) this.#active.delete(fence.runId)
    })
    // What was carried here before belonged to another worker meanwhile.
    this.#active.get(fence.runId)?.halt.abort('lost' satisfies Halt)
    this.#active.set(fence.runId, { fence, generation: job.generation, halt, outcome })
    return outcome
  }

  async #carryToRest(job: Job, run: TakenRun, halt: AbortController): Promise<Outcome> {
    const { runId } = run.fence
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
        return runCrew(deps, run, halt).finally(() => span.end())
      })
    if (end === 'rested') return 'done'
    return end === 'lost' ? this.#leave(runId) : this.#release(job, run, end)
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

  /** Another worker's run keeps its job. One that was cancelled has no use for it. */
  async #leave(runId: string): Promise<Outcome> {
    return (await this.#ended.add(runId)) ? 'done' : 'left'
  }

  /** Puts the run's job off, unless the run is not this worker's any more. */
  async #release(job: Job, { fence }: TakenRun, release: Release): Promise<Outcome> {
    const { database, queue } = this.#services
    const { delaySeconds } = release
    const isReleased = await database.transaction().execute(async (transaction) => {
      const next = await releaseRun(transaction, fence, release)
      if (next === undefined) return false
      await queue.replace(transaction, job.id, { ...next, delaySeconds })
      return true
    })
    if (!isReleased) return this.#leave(fence.runId)
    this.#metrics.countUsage(release.model, release.usage)
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
