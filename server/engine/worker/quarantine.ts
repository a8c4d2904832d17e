import { outageOf } from '../../db/outage.ts'
import type { Fence } from '../state/run.ts'

/**
 * Tells a run that kills its worker from those that were at work beside it. One that fell over twice
 * without moving is a suspect: a process tries suspects one at a time, while other runs go on. The trial
 * of a suspect is over when its work here is, or when it has outlived some time, which doubles with each
 * fall. Only takes whose trial was not outlived are held against a run: the database may go away, and another
 * worker may take the run, while this one lives.
 */
const maxUnsuspiciousFalls = 2

/** A suspect is given up after so many takes whose trial its worker did not outlive. */
export const maxTakesAlone = 4

export interface Falls {
  takesWithoutProgress: number
  takesAlone: number
}

export function isSuspect({ takesWithoutProgress }: Falls): boolean {
  return takesWithoutProgress >= maxUnsuspiciousFalls
}

export function isHopeless({ takesWithoutProgress, takesAlone }: Falls): boolean {
  return takesWithoutProgress > maxUnsuspiciousFalls && takesAlone >= maxTakesAlone
}

const shortestTrialMs = 2_000
const longestTrialMs = 300_000

export function trialMs({ takesWithoutProgress }: Falls): number {
  return Math.min(
    longestTrialMs,
    shortestTrialMs * 2 ** (takesWithoutProgress - maxUnsuspiciousFalls),
  )
}

const retryMs = 1_000
const maxTries = 120
const hearingMs = 3_000
const maxHopeless = 1_000

export class Quarantine {
  readonly #outlive: (fence: Fence) => Promise<void>
  readonly #onError: (error: unknown) => void
  /** When each was first seen to be hopeless. */
  readonly #hopeless = new Map<string, number>()
  /** Of the suspect on trial. */
  #trial: { runId: string; endsAt: number } | undefined

  /** `outlive` records that the take of a suspect is not held against it. */
  constructor(outlive: (fence: Fence) => Promise<void>, onError: (error: unknown) => void) {
    this.#outlive = outlive
    this.#onError = onError
  }

  /**
   * How long to wait before a hopeless run is given up. Its last worker may live: it loses the run when the database
   * comes back, as it is seen here, and says so within this time.
   */
  giveUpAfter(runId: string): number {
    if (this.#hopeless.size >= maxHopeless) this.#hopeless.clear()
    const seenAt = this.#hopeless.getOrInsertComputed(runId, () => performance.now())
    const leftMs = Math.max(0, seenAt + hearingMs - performance.now())
    if (leftMs === 0) this.#hopeless.delete(runId)
    return leftMs
  }

  /** Begins the trial of a suspect where there is none; else how long to wait for the next. */
  admit(runId: string, falls: Falls): number {
    const leftMs = (this.#trial?.endsAt ?? 0) - performance.now()
    if (leftMs > 0) return leftMs
    this.#trial = { runId, endsAt: performance.now() + trialMs(falls) }
    return 0
  }

  /** Its work begins; the returned function says that it has ended, and with which failure. */
  watch(fence: Fence): (failure?: unknown) => void {
    const trial = this.#trial
    if (trial?.runId !== fence.runId) return () => {}
    let isOver = false
    const end = (failure?: unknown): void => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      if (this.#trial === trial) this.#trial = undefined
      if (failure === undefined || outageOf(failure) !== undefined) this.outlived(fence)
    }
    const timer = setTimeout(end, Math.max(0, trial.endsAt - performance.now()))
    return end
  }

  /** This process lives: its take of a suspect is not held against it. Recorded once the database is there. */
  outlived(fence: Fence, tries = maxTries): void {
    this.#outlive(fence).catch((error: unknown) => {
      if (tries === 1 || outageOf(error) === undefined) return this.#onError(error)
      setTimeout(() => this.outlived(fence, tries - 1), retryMs).unref()
    })
  }
}
