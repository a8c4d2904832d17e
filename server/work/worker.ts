import type { Logger } from 'pino'
import type { Gatherer } from '../db/batcher.ts'
import type { Database } from '../db/client.ts'
import type { Notices } from '../db/notices.ts'
import { logFailure } from '../db/outage.ts'
import { openBatcher } from '../db/run.ts'
import { InFlight, loop, type Loop } from '../loop.ts'
import { attempt, waitSeconds, type Attempted, type Tried } from './outcome.ts'
import {
  claimOf,
  renewClaims,
  type BusyLane,
  type Claim,
  type Settlement,
  type WorkItem,
  type WorkTable,
} from './table.ts'

/** A kind of work: where its rows are, how one is done, and how the outcome is recorded. */
export interface Work<Item extends WorkItem, Value = unknown> {
  /** What an item is, for the log: "a hook delivery". */
  what: string
  table: WorkTable<Item>
  /** Maximum items in progress in a process, and of one account. */
  atOnce: number
  perAccount: number
  /** How often due rows are looked for; `wakes` is the notice of a statement that adds some. */
  everyMs: number
  wakes?: string
  /** Called before each claim, for example to add rows that have become due. True if there is more to do at once. */
  prepare?: () => Promise<boolean | void>
  /** Works on an item. The signal is aborted when the process stops. An error is a failed try. */
  run: (item: Item, signal: AbortSignal) => Promise<Tried<Value>>
  /** Records outcomes that came together. */
  settle: (settled: Settled<Item, Value>[]) => Promise<void>
}

export interface Settled<Item extends WorkItem, Value = unknown> {
  accountId: string
  item: Item
  outcome: Attempted<Value>
  /** Seconds to the next try; null if there is none. */
  waitSeconds: number | null
}

/** The words of a table for outcomes. */
interface States<Value> {
  later: string
  refused: string
  done: (value: Value) => { status: string; why: string | null }
  /** The status of an item whose run was started or whose message was sent. */
  certain: string
}

/** The settlement of a row with the columns `status`, `why` and `tries`, and others. */
export function toSettlement<Value>(
  { item: { accountId, id }, outcome, waitSeconds: wait }: Settled<WorkItem, Value>,
  { done, certain, ...states }: States<Value>,
  others: Settlement['values'] = {},
): Settlement {
  const { status, why } =
    outcome.kind === 'done'
      ? done(outcome.value)
      : { status: states[outcome.kind], why: outcome.why }
  const values = { status, why, tries: outcome.tries, ...others }
  return { accountId, id, waitSeconds: wait, isCertain: status === certain, values }
}

/**
 * The settlements of passes over rows with the column `held`, which says why a row waits. A pass that is done has recorded
 * its row itself; one that is refused is shown and tried again after `againSeconds`.
 */
export function toPassSettlements(
  settled: Settled<WorkItem>[],
  againSeconds: number,
): Settlement[] {
  return settled.flatMap(({ accountId, item: { id }, outcome, waitSeconds: wait }) => {
    if (outcome.kind === 'done') return []
    const values = { held: outcome.why || null }
    return [{ accountId, id, isCertain: false, waitSeconds: wait ?? againSeconds, values }]
  })
}

interface WorkerParts {
  database: Database
  log: Logger
  notices: Notices
}

/** A claim is renewed this often during its lease. */
const renewals = 4
const minGapMs = 20

/**
 * Does one kind of work in this process. A loop claims due rows and starts them; it is woken by the notice of a statement
 * that adds rows, by items that end and by near retries, and polls otherwise. Another renews the claims of what is in
 * progress. Outcomes are recorded in batches. What a process had in progress when it died is claimed again when its
 * leases expire, so work has to be safe to repeat.
 */
export class Worker<Item extends WorkItem, Value> implements AsyncDisposable {
  readonly #parts: WorkerParts
  readonly #work: Work<Item, Value>
  readonly #claim: Claim<Item>
  readonly #claims: Loop
  readonly #renewals: Loop
  readonly #settled: Gatherer<Settled<Item, Value>, undefined>
  readonly #inFlight: InFlight<Item>
  /** Items whose outcome is not known yet, so that their claims are renewed. */
  readonly #running = new Set<Item>()
  #claimedUpTo = ''

  constructor(parts: WorkerParts, work: Work<Item, Value>) {
    const { database, log, notices } = parts
    const { what, table, everyMs, wakes } = work
    this.#parts = parts
    this.#work = work
    this.#claim = claimOf(table)
    this.#inFlight = new InFlight(work.atOnce, () => this.#claims.wake())
    this.#settled = openBatcher(database, async (settled) => {
      await work.settle(settled)
      return settled.map(() => undefined)
    })
    this.#claims = loop({
      everyMs,
      minGapMs: Math.min(minGapMs, everyMs),
      tick: () => this.tick(),
      onError: (error) => logFailure(log, error, `claiming ${what} failed`),
      startsAtOnce: true,
    })
    this.#renewals = loop({
      everyMs: (table.leaseSeconds * 1_000) / renewals,
      tick: () => this.#renew(),
      onError: (error) => logFailure(log, error, `renewing the claim of ${what} failed`),
    })
    if (wakes !== undefined) notices.on(wakes, () => this.#claims.wake())
  }

  /** Claims nothing more and waits for what is in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#claims.stop()
    await this.#inFlight.drain()
    await this.#renewals.stop()
  }

  /** Claims due rows and starts them; true if there may be more. */
  async tick(): Promise<boolean> {
    const hasMore = (await this.#work.prepare?.()) === true
    const { free } = this.#inFlight
    if (free <= 0) return false
    const limits = { count: free, perAccount: this.#work.perAccount, busy: this.#busyLanes() }
    const after = this.#claimedUpTo
    const { items, next, isBusy } = await this.#claim(this.#parts.database, limits, after)
    if (!isBusy) this.#claimedUpTo = next
    for (const item of items) this.#inFlight.add(item, this.#do(item))
    return hasMore || isBusy || next !== ''
  }

  #busyLanes(): BusyLane[] {
    const lanes = new Map<string, BusyLane>()
    for (const { accountId, lane = '' } of this.#inFlight.subjects) {
      const busy = lanes.getOrInsert(`${accountId} ${lane}`, { accountId, lane, count: 0 })
      busy.count++
    }
    return [...lanes.values()]
  }

  async #renew(): Promise<void> {
    const items = [...this.#running]
    if (items.length > 0) await renewClaims(this.#parts.database, this.#work.table, items)
  }

  async #do(item: Item): Promise<void> {
    const { log } = this.#parts
    const { what, run, everyMs } = this.#work
    const { accountId, id, tries = 0, ageSeconds = 0 } = item
    const trying = { log, tries, what, facts: { id } }
    this.#running.add(item)
    const outcome = await attempt(trying, () => run(item, this.#claims.signal))
    this.#running.delete(item)
    const wait = outcome.kind === 'later' ? waitSeconds(outcome, ageSeconds) : null
    const settled = { accountId, item, outcome, waitSeconds: wait }
    await this.#settled.add(settled).catch((error: unknown) => {
      // The claim expires with its lease.
      logFailure(log, error, `${what} was not settled`, { id })
    })
    const waitMs = (wait ?? Infinity) * 1_000
    if (waitMs < everyMs) setTimeout(() => this.#claims.wake(), waitMs).unref()
  }
}
