import type { Played } from './steps-heard.ts'
import type { Store } from './store.ts'

/** Where a contender runs. */
export interface Site {
  store: Store
  modelUrl: string
  /** For logs. */
  folder: string
}

/** One process that carries runs of a crew of two: Muster or a peer. */
export interface Contender extends AsyncDisposable {
  pid: number
  /** Carries this many new runs to their end. */
  play(played: Played): Promise<void>
  /** Returns when the runs that a killed process left have ended. */
  recover(): Promise<void>
  /** How many of the first `count` runs have no output; fails when one is otherwise not as it should. */
  countLost(count: number): Promise<number>
  waiting: WaitingRuns
  /** Live bytes after a full garbage collection. */
  readMemory(): Promise<number>
  /** SIGKILL; returns when the process is gone. */
  kill(): Promise<void>
}

export interface WaitingRuns {
  /** Carries this many new runs to where each waits for a human. */
  pause(played: Played): Promise<void>
  /** Answers them all; returns when they are completed. */
  answer(played: Played): Promise<void>
}

export type StartContender = (site: Site) => Promise<Contender>
