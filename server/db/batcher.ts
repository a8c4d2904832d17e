import { DomainError } from '../errors.ts'
import { codeOf, outageOf } from './outage.ts'

export const defaults = {
  maxItems: 200,
  /** Maximum flushes in progress. */
  maxFlushes: 1,
  /** Minimum time from the start of one flush to the next. */
  minGapMs: (): number => 0,
  /**
   * Items that have waited longer are rejected, and not retried one by one. Longer than two items
   * that each wait until a statement times out.
   */
  maxWaitMs: 95_000,
  /**
   * Maximum items that wait for a flush; further ones are rejected. As many as the runs that a
   * process may have in progress.
   */
  maxWaiting: 10_000,
}

export type Limits = typeof defaults

export interface Gatherer<Item, Result> {
  /** Rejects with `too_busy` if too many items wait already. */
  add(item: Item): Promise<Result>
}

/**
 * Batches calls that arrive together into one statement. A call that arrives during a flush joins
 * the next one; an idle batcher adds no wait. Where latency does not matter, `minGapMs` makes
 * batches larger. A bad item does not fail the others: if a batch fails without an outage of the
 * database, or times out, for example on a locked row, its items are tried one by one.
 */
export class Batcher<Item, Result> implements Gatherer<Item, Result> {
  readonly #flush: (items: Item[]) => Promise<Result[]>
  readonly #limits: Limits
  #waiting: Waiting<Item, Result>[] = []
  #flushes = 0
  #startedAt = Number.NEGATIVE_INFINITY
  #isPlanned = false

  /** `flush` returns results in the order of the items. */
  constructor(flush: (items: Item[]) => Promise<Result[]>, limits: Partial<Limits> = {}) {
    this.#flush = flush
    this.#limits = { ...defaults, ...limits }
  }

  async add(item: Item): Promise<Result> {
    if (this.#waiting.length >= this.#limits.maxWaiting) throw tooMany(this.#waiting.length)
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#waiting.push({ item, addedAt: performance.now(), resolve, reject })
    // Calls in the same turn of the event loop share the first flush.
    if (this.#waiting.length === 1) queueMicrotask(() => this.#start())
    return promise
  }

  #start(): void {
    while (this.#waiting.length > 0 && this.#flushes < this.#limits.maxFlushes) {
      const waitMs = this.#startedAt + this.#limits.minGapMs() - performance.now()
      if (waitMs > 0) {
        this.#startLater(waitMs)
        return
      }
      const batch = this.#next()
      if (batch.length === 0) return
      this.#startedAt = performance.now()
      this.#flushes++
      void this.#run(batch).finally(() => {
        this.#flushes--
        this.#start()
      })
    }
  }

  /** The next batch, without items that have waited too long. */
  #next(): Waiting<Item, Result>[] {
    const inTime = this.#waiting.findIndex((one) => !this.#isLate(one))
    const late = this.#waiting.splice(0, inTime === -1 ? this.#waiting.length : inTime)
    for (const { reject } of late) reject(tooMany(late.length))
    return this.#waiting.splice(0, this.#limits.maxItems)
  }

  #isLate({ addedAt }: Waiting<Item, Result>): boolean {
    return performance.now() - addedAt > this.#limits.maxWaitMs
  }

  #startLater(waitMs: number): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    setTimeout(() => {
      this.#isPlanned = false
      this.#start()
    }, waitMs)
  }

  async #run(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#flushAgainOnConflict(batch.map(({ item }) => item))
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result))
    } catch (error) {
      if (batch.length > 1 && mayBeOneItem(error)) await this.#runApart(batch, error)
      else for (const { reject } of batch) reject(error)
    }
  }

  async #runApart(batch: Waiting<Item, Result>[], error: unknown): Promise<void> {
    for (const one of batch) {
      if (this.#isLate(one)) one.reject(error)
      else await this.#run([one])
    }
  }

  async #flushAgainOnConflict(items: Item[]): Promise<Result[]> {
    const maxTries = 5
    for (let tries = 1; ; tries++) {
      try {
        return await this.#flush(items)
      } catch (error) {
        if (tries === maxTries || !isConflict(error)) throw error
      }
    }
  }
}

export function tooMany(waiting: number): DomainError {
  return new DomainError(
    'too_busy',
    `Cannot reach the database in time: ${waiting} others wait for it`,
    { retryAfterSeconds: 2 },
  )
}

interface Waiting<Item, Result> {
  item: Item
  addedAt: number
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Any error but an outage may be caused by a single item: data that the database rejects, or a
 * fault in the code that only this item meets. So may be a statement timeout (57014) or a lock
 * timeout (55P03).
 */
function mayBeOneItem(error: unknown): boolean {
  return outageOf(error) === undefined || /^(57014|55P03)$/.test(codeOf(error))
}

/** Serialization failure and deadlock: the same statement may succeed at once. */
function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}
