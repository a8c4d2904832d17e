import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { cached } from '../cached.ts'
import type { Services } from '../context.ts'
import { runStatuses, type Change } from '../engine/run/run.ts'
import type { Usage } from '../models/contract.ts'
import type { Models } from '../models/models.ts'
import { countOpenRuns } from '../engine/reads/events.ts'

/**
 * The metrics of `/metrics`, in Prometheus' text format. Gauges about the database are read on
 * demand.
 */
export class Metrics {
  readonly registry = new Registry()
  readonly httpSeconds = new Histogram({
    name: 'muster_http_request_seconds',
    help: 'Duration of HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
    registers: [this.registry],
  })
  readonly runsEnded = this.#counter(
    'muster_runs_ended_total',
    'Runs ended by this process, by status.',
    ['status'],
  )
  readonly stepsEnded = this.#counter(
    'muster_steps_ended_total',
    'Steps ended by this process, by outcome.',
    ['outcome'],
  )
  readonly tokens = this.#counter('muster_tokens_total', 'Tokens as counted by providers.', [
    'direction',
    'model',
  ])
  readonly costUsd = this.#counter('muster_cost_usd_total', 'Cost of model calls in US dollars.', [
    'model',
  ])

  readonly #models: Pick<Models, 'find'>

  constructor({ database, queue, models }: Pick<Services, 'database' | 'queue' | 'models'>) {
    this.#models = models
    collectDefaultMetrics({ register: this.registry, prefix: 'muster_' })
    const stats = cached(() => queue.stats(), lifetimeMs)
    const openRuns = cached(() => countOpenRuns(database), lifetimeMs)
    this.#gauge('muster_queue_ready_jobs', 'Jobs that are ready to start.', [], async (gauge) =>
      gauge.set((await stats()).ready),
    )
    this.#gauge('muster_queue_oldest_seconds', 'Age of the oldest of them.', [], async (gauge) =>
      gauge.set((await stats()).oldestSeconds),
    )
    this.#gauge('muster_runs', 'Runs that have not ended.', ['status'], async (gauge) => {
      const counts = await openRuns()
      for (const status of runStatuses) {
        if (status !== 'completed' && status !== 'failed') {
          gauge.set({ status }, counts.get(status) ?? 0)
        }
      }
    })
  }

  /** Counts what a step boundary wrote. */
  count({ ended, status }: Pick<Change, 'ended' | 'status'>): void {
    if (status === 'completed' || status === 'failed') this.runsEnded.inc({ status })
    if (ended === null) return
    this.stepsEnded.inc({ outcome: ended.error === null ? 'completed' : 'failed' })
    this.countUsage(ended.model, ended.usage)
  }

  /**
   * Models of accounts, tuned or on their own servers, share one label: there may be any number,
   * and their ids are private.
   */
  countUsage(id: string, usage: Usage): void {
    const model = this.#models.find(id) === undefined ? 'other' : id
    this.tokens.inc({ direction: 'in', model }, usage.tokensIn)
    this.tokens.inc({ direction: 'out', model }, usage.tokensOut)
    this.costUsd.inc({ model }, usage.costUsd)
  }

  #counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  #gauge(
    name: string,
    help: string,
    labelNames: string[],
    read: (gauge: Gauge) => Promise<void>,
  ): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect: (): Promise<void> => read(gauge),
    })
  }
}

/** Scrapes within this time share one reading. */
const lifetimeMs = 2_000
