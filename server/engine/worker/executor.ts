import { trace } from '@opentelemetry/api'
import type { Gatherer } from '../../db/batcher.ts'
import { openBatcher } from '../../db/run.ts'
import { logFailure } from '../../db/outage.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Dispatch } from '../queue/dispatch.ts'
import { QueueWorker } from '../queue/job-loop.ts'
import type { WorkerPort, WorkerServices } from '../port.ts'
import { writeBilled, type Bill } from '../journal/billed.ts'
import { applyChanges, releaseRun } from '../journal/boundary.ts'
import { releaseToWorkers } from '../journal/requests/requests.ts'
import { clearProbation } from '../journal/take.ts'
import { isTerminal, type Change, type Fence } from '../run/run.ts'
import type { ModelWarning, Usage } from '../../models/contract.ts'
import { AccountGate } from '../safety/quotas.ts'
import { createHeapRoom } from '../safety/heap-room.ts'
import { OfferedTools } from './prepare-step.ts'
import { runCrew, type CrewEnd, type Halt, type Lost, type Release } from './run-crew.ts'
import { Isolation } from './isolation.ts'
import { createTaker, type TakenRun, type Taker } from './taker.ts'
import { countLate } from '../journal/record.ts'
import { KeyedMutex } from '../../keyed-mutex.ts'

/**
 * Takes runs from the queue and executes each until it ends or waits.
 *
 * A batch of jobs becomes a batch of taken runs (`taker.ts`); each then executes its steps
 * (`run-crew.ts`), using a slot but no connection. The outcome of a step is a `Change`; changes
 * that arrive together share one statement. A worker that lost a run, because it was cancelled or
 * taken over, learns it from a write that had no effect or from a failed lease renewal, and stops
 * silently. A run that fails with an internal error of Muster keeps its job, and is retried when
 * the lease expires.
 */
type Meter = Pick<Metrics, 'count' | 'countUsage'>

export interface ExecutorOptions {
  services: WorkerServices
  port: WorkerPort
  metrics: Meter
  runConcurrency: number
  accountConcurrency: number
}

/** Maximum time that a step boundary waits for others to share its statement. */
const mostGapMs = 20
const drainMs = 20_000
const handBackMs = 5_000

interface Active {
  fence: Fence
  halt: AbortController
  idle: Promise<void>
}

export class Executor {
  readonly #services: WorkerServices
  readonly #port: WorkerPort
  readonly #metrics: Meter
  readonly #worker: QueueWorker
  readonly #draining = new AbortController()
  readonly #active = new Map<string, Active>()
  readonly #take: Taker
  readonly #isolation: Isolation
  readonly #changes: Gatherer<Change, boolean>
  readonly #notes = new KeyedMutex()
  readonly #gate: AccountGate
  readonly #offers: OfferedTools
  readonly #warned = new Set<string>()

  constructor({ services, port, metrics, runConcurrency, accountConcurrency }: ExecutorOptions) {
    this.#services = services
    this.#port = port
    this.#metrics = metrics
    // The more runs are in progress, the more changes a short wait collects; a lone run waits for
    // none.
    this.#changes = openBatcher<Change, boolean>(
      services.database,
      (changes) => applyChanges(services.database, changes),
      { minGapMs: () => Math.min(mostGapMs, this.#worker.inProgress - 1) },
    )
    this.#gate = new AccountGate(services.database, services.queue.times.renewMs)
    this.#offers = new OfferedTools(services.database)
    const { database, log } = services
    this.#isolation = new Isolation(
      (runs) => clearProbation(database, runs),
      (error) => logFailure(log, error, 'the end of a probation was not recorded'),
    )
    this.#take = createTaker(services, port, (change) => this.#write(change), this.#isolation)
    this.#worker = new QueueWorker(services.queue, {
      concurrency: runConcurrency,
      room: createHeapRoom(),
      accountConcurrency,
      start: (jobs) => this.#start(jobs),
      onLost: (runIds) => {
        for (const id of runIds) this.#active.get(id)?.halt.abort('lost' satisfies Halt)
      },
      onError: (error, runId) => logFailure(services.log, error, 'executor failed', { runId }),
    })
  }

  /**
   * Abandons all runs in progress: their fences have been raised, and this worker or another takes
   * them again.
   */
  abandonAll(): void {
    for (const { halt } of this.#active.values()) halt.abort('lost' satisfies Halt)
  }

  /** Waits up to 20 s for steps in progress; a run is handed back as soon as its step ends. */
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

  #start(jobs: Dispatch[]): Promise<void>[] {
    // While the database was unavailable, jobs may have been made ready again that are still
    // executed here.
    const isExecutedHere = ({ runId, attempt }: Fence): boolean =>
      this.#active.get(runId)?.fence.attempt === attempt
    const taken = this.#take(jobs, isExecutedHere)
    return jobs.map(async ({ runId }) => {
      const run = (await taken).get(runId)
      await (run === undefined ? this.#active.get(runId)?.idle : this.#execute(run))
    })
  }

  #execute(run: TakenRun): Promise<void> {
    const { fence } = run
    const halt = new AbortController()
    const idle = this.#executeUntilIdle(run, halt).finally(() => {
      if (this.#active.get(fence.runId)?.idle === idle) this.#active.delete(fence.runId)
    })
    // An older take of this run has lost its fence.
    this.#active.get(fence.runId)?.halt.abort('lost' satisfies Halt)
    this.#active.set(fence.runId, { fence, halt, idle })
    return idle
  }

  async #executeUntilIdle(run: TakenRun, halt: AbortController): Promise<void> {
    try {
      const end = await this.#traced(run, halt)
      if (end !== 'idle' && 'isLost' in end) this.#port.endRun(run.fence.runId)
      if (end !== 'idle' && ('isLost' in end || !(await this.#release(run, end)))) {
        await this.#countLate(run, end)
      }
      this.#isolation.ended(run.fence)
    } catch (error) {
      this.#isolation.ended(run.fence, error)
      throw error
    }
  }

  async #traced(run: TakenRun, halt: AbortController): Promise<CrewEnd> {
    const attributes = { 'muster.run.id': run.fence.runId, ...toAttributes(run.tags) }
    return trace.getTracer('muster').startActiveSpan('run', { attributes }, async (span) => {
      const deps = {
        services: this.#services,
        port: this.#port,
        draining: this.#draining.signal,
        write: (change: Change, bills?: Bill[]) => this.#write(change, bills),
        notes: this.#notes,
        gate: this.#gate,
        offers: this.#offers,
        warn: (warning: ModelWarning) => this.#warn(warning),
        countUsage: (model: string, usage: Usage) => this.#metrics.countUsage(model, usage),
      }
      return runCrew(deps, run, halt).finally(() => span.end())
    })
  }

  #warn({ code, message }: ModelWarning): void {
    if (this.#warned.has(message)) return
    this.#warned.add(message)
    this.#services.log.warn({ code }, message)
  }

  async #write(change: Change, bills: Bill[] = []): Promise<boolean> {
    // Bills need a transaction of their own.
    const applied =
      bills.length === 0
        ? await this.#changes.add(change)
        : await writeBilled(this.#services.database, bills, async (inside) =>
            (await applyChanges(inside, [change])).includes(true),
          )
    if (applied) {
      this.#isolation.progressed(change.runId)
      this.#services.feed.changed(change.runId)
      this.#services.acknowledged.add(change, change.events)
      this.#metrics.count(change)
      if (isTerminal(change.status)) {
        this.#log(change)
        this.#port.endRun(change.runId)
      }
    }
    return applied
  }

  /** Releases the run; false if it no longer belongs to this worker. */
  async #release({ fence }: TakenRun, release: Release): Promise<boolean> {
    const { database, queue } = this.#services
    // Its job may be fetched here before the release has returned, and must not count as executed here.
    if (this.#active.get(fence.runId)?.fence === fence) this.#active.delete(fence.runId)
    const isOurs =
      release.held?.reason === 'caller_tool'
        ? await releaseToWorkers(database, fence, release)
        : await writeBilled(database, release.bills, (inside) => releaseRun(inside, fence, release))
    if (!isOurs) return false
    this.#metrics.countUsage(release.model, release.usage)
    queue.wake()
    return true
  }

  /**
   * Counts a model call that was in flight when its run was cancelled or taken over: it is billed
   * anyway.
   */
  async #countLate(
    { fence }: TakenRun,
    { position, model, usage, bills }: Lost | Release,
  ): Promise<void> {
    if (usage.tokensIn + usage.tokensOut + usage.callsWithoutUsage === 0) return
    const { database, log } = this.#services
    try {
      const isCounted = await writeBilled(database, bills, (inside) =>
        countLate(inside, { ...fence, position }, usage),
      )
      if (isCounted) this.#metrics.countUsage(model, usage)
    } catch (error) {
      const { runId } = fence
      logFailure(log, error, 'what a lost run used last was not counted', { runId })
    }
  }

  #log({ runId, accountId, status, errorCode }: Change): void {
    this.#services.log.info({ runId, accountId, status, errorCode }, 'run ended')
  }
}

function toAttributes(tags: TakenRun['tags']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tags ?? {}).map(([key, value]) => [`muster.tag.${key}`, value]),
  )
}
