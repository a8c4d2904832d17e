import type { Played } from './step-times.ts'
import type { Store } from './store.ts'

/** Environment of a contender. */
export interface Site {
  store: Store
  modelUrl: string
  /** Folder for logs. */
  folder: string
}

/** A process that executes runs of a crew of two: Muster or a peer. */
export interface Contender extends AsyncDisposable {
  pid: number
  /** Executes this many new runs to their end. */
  play(played: Played): Promise<void>
  /** Resolves when the runs of a killed process have ended. */
  recover(): Promise<void>
  /** How many of the first `count` runs have no output; throws if another one is wrong. */
  countLost(count: number): Promise<number>
  waiting: WaitingRuns
  /** Live bytes after a full garbage collection. */
  readMemory(): Promise<number>
  /** SIGKILL; returns when the process is gone. */
  kill(): Promise<void>
}

export interface WaitingRuns {
  /** Executes this many new runs until each waits for a person. */
  pause(played: Played): Promise<void>
  /** Answers them all; returns when they are completed. */
  answer(played: Played): Promise<void>
}

export type StartContender = (site: Site) => Promise<Contender>
