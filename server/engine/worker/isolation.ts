import { LRUCache } from 'lru-cache'
import { outageOf } from '../../db/outage.ts'
import type { RunKey } from '../run/run.ts'

/**
 * Finds the run that crashes its worker, and lets all others continue.
 *
 * After the first crash, all runs that were in progress are taken again together. After a second
 * crash without progress a run is isolated. A process puts isolated runs on probation in groups,
 * one group at a time, those with the fewest crashes first: half of the isolated runs that it sees,
 * then half of each group in which a process died. So a crash loop with another cause delays each
 * group by some seconds, and one crashing run among n is alone after about log2(n) crashes. A run
 * whose process died while it was alone on probation fails. A run that makes progress, or whose
 * group survives its probation, is cleared at once. Other runs are executed meanwhile.
 */
export interface Crashes {
  /** Takes since the run last made progress: each ended with a crash of its worker. */
  crashCount: number
  /** Size of its probation group when the run was last taken; null if it was not on probation. */
  probationSize: number | null
}

const maxInnocentCrashes = 1

export function hasCrashed({ crashCount }: Crashes): boolean {
  return crashCount > maxInnocentCrashes
}

export function isCrashing(run: Crashes): boolean {
  return hasCrashed(run) && run.probationSize === 1
}

const shortestProbationMs = 2_000
const longestProbationMs = 300_000
/**
 * Beyond this many crashes each probation is twice as long, for runs that crash their worker late.
 */
const earlyCrashes = 6

export function probationMs(crashCount: number): number {
  const doublings = Math.max(0, crashCount - earlyCrashes)
  return Math.min(longestProbationMs, shortestProbationMs * 2 ** doublings)
}

/**
 * A run that waits for its probation is checked again after this long, because the current group
 * may end early.
 */
const lookAgainMs = 250
const clearRetryMs = 1_000
const maxClearTries = 120
const farewellMs = 3_000

export interface Admission<Run> {
  /** Runs to take now; `probationSize` of an isolated run is the size of its group. */
  admitted: Run[]
  /** Runs to fail. */
  crashing: Run[]
  waiting: { run: Run; delayMs: number }[]
}

type Candidate = Crashes & { id: string; accountId: string }

interface Group {
  members: Map<string, RunKey>
  endsAt: number
}

export class Isolation {
  readonly #clear: (runs: RunKey[]) => Promise<void>
  readonly #onError: (error: unknown) => void
  /** When each crashing run was first seen. */
  readonly #crashing = new LRUCache<string, number>({ max: 1_000 })
  /** Group size for the first probation of isolated runs, by crash count. */
  readonly #firstSizes = new Map<number, number>()
  #group: Group = { members: new Map(), endsAt: 0 }

  /** `clear` records that these runs did not crash the process. */
  constructor(clear: (runs: RunKey[]) => Promise<void>, onError: (error: unknown) => void) {
    this.#clear = clear
    this.#onError = onError
  }

  /** Sorts the runs of a batch into those to take now, to fail and to put back. */
  admit<Run extends Candidate>(runs: Run[]): Admission<Run> {
    const waiting: Admission<Run>['waiting'] = []
    const crashing = runs.filter(isCrashing).filter((run) => {
      const delayMs = this.#farewellMs(run.id)
      if (delayMs > 0) waiting.push({ run, delayMs })
      return delayMs === 0
    })
    const admitted = runs.filter((run) => !hasCrashed(run))
    const crashed = runs.filter((run) => hasCrashed(run) && !isCrashing(run))
    const chosen = this.#leftMs() > 0 ? [] : choose(crashed, this.#firstSizes)
    this.#begin(chosen)
    const delayMs = Math.min(lookAgainMs, this.#leftMs())
    for (const run of crashed) {
      if (!chosen.includes(run)) waiting.push({ run, delayMs })
      else admitted.push({ ...run, probationSize: sizeFor(run, chosen.length) })
    }
    return { admitted, crashing, waiting }
  }

  /** The run made progress, so its crash count no longer matters. */
  progressed(runId: string): void {
    this.#group.members.delete(runId)
  }

  /** The run is no longer executed here. It is cleared unless it failed by itself. */
  ended({ runId }: RunKey, failure?: unknown): void {
    const run = this.#group.members.get(runId)
    this.#group.members.delete(runId)
    const isOwn = failure !== undefined && outageOf(failure) === undefined
    if (run !== undefined && !isOwn) this.#clearSoon([run])
  }

  #begin(chosen: Candidate[]): void {
    const [first] = chosen
    if (first === undefined) return
    const lastsMs = probationMs(first.crashCount)
    const members = new Map(chosen.map(({ id, accountId }) => [id, { runId: id, accountId }]))
    this.#group = { members, endsAt: performance.now() + lastsMs }
    setTimeout(() => {
      if (members.size > 0) this.#clearSoon([...members.values()])
      members.clear()
    }, lastsMs).unref()
  }

  /** Time until the next group may start. */
  #leftMs(): number {
    const { members, endsAt } = this.#group
    return members.size === 0 ? 0 : Math.max(0, endsAt - performance.now())
  }

  /** Clears runs, retrying while the database is unavailable. */
  #clearSoon(runs: RunKey[], tries = maxClearTries): void {
    this.#clear(runs).catch((error: unknown) => {
      if (tries === 1 || outageOf(error) === undefined) return this.#onError(error)
      setTimeout(() => this.#clearSoon(runs, tries - 1), clearRetryMs).unref()
    })
  }

  /**
   * How long to wait before a crashing run is failed. Its last worker may still be alive, cut off
   * from the database by an outage that has just ended here too: within this time that worker
   * clears the run.
   */
  #farewellMs(runId: string): number {
    const seenAt = this.#crashing.get(runId) ?? performance.now()
    this.#crashing.set(runId, seenAt)
    const leftMs = Math.max(0, seenAt + farewellMs - performance.now())
    if (leftMs === 0) this.#crashing.delete(runId)
    return leftMs
  }
}

/**
 * On its first probation a run may be alone only because the other isolated runs have not arrived
 * yet.
 */
function sizeFor({ probationSize }: Crashes, size: number): number {
  return probationSize === null ? Math.max(2, size) : size
}

/** The isolated runs with the fewest crashes, as many as may be on probation together. */
function choose<Run extends Crashes>(crashed: Run[], firstSizes: Map<number, number>): Run[] {
  const crashCount = Math.min(...crashed.map((run) => run.crashCount))
  const peers = crashed.filter((run) => run.crashCount === crashCount)
  // The runs of a dead process may arrive in several batches: a small batch must not make all
  // groups small.
  const firstSize = Math.max(firstSizes.get(crashCount) ?? 0, Math.ceil(crashed.length / 2))
  firstSizes.set(crashCount, firstSize)
  let size = peers.length
  return peers.filter(({ probationSize }, place) => {
    size = Math.min(size, probationSize === null ? firstSize : Math.ceil(probationSize / 2))
    return place < size
  })
}
