import type { Database } from '../../db/client.ts'
import type { Fence } from '../state/run.ts'
import { outliveTrial } from '../state/take-store.ts'

/**
 * Tells a run that kills its worker from those that were at work beside it. One that fell over twice
 * without moving is a suspect: a process tries suspects one at a time, while other runs go on. The trial
 * of a suspect is over when its work here is, or when it has outlived some time, which doubles with each
 * fall. Only takes whose trial was not outlived are held against a run.
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

export class Quarantine {
  readonly #database: Database
  readonly #onError: (error: unknown) => void
  /** Of the suspect on trial. */
  #trial: { runId: string; endsAt: number } | undefined

  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database
    this.#onError = onError
  }

  /** Begins the trial of a suspect where there is none; else how long to wait for the next. */
  admit(runId: string, falls: Falls): number {
    const leftMs = (this.#trial?.endsAt ?? 0) - performance.now()
    if (leftMs > 0) return leftMs
    this.#trial = { runId, endsAt: performance.now() + trialMs(falls) }
    return 0
  }

  /** Its work begins; the returned function says that it has ended. */
  watch(fence: Fence): () => void {
    const trial = this.#trial
    if (trial?.runId !== fence.runId) return () => {}
    const end = (): void => {
      clearTimeout(timer)
      if (this.#trial === trial) this.#trial = undefined
    }
    const timer = setTimeout(
      () => {
        end()
        outliveTrial(this.#database, fence).catch(this.#onError)
      },
      Math.max(0, trial.endsAt - performance.now()),
    )
    return end
  }
}
