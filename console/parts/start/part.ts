import type { ReactNode } from 'react'
import type { CreateRun } from '../../../sdk/generated.ts'

/** Versions that a run tests. */
export type Tried = Pick<CreateRun, 'version' | 'agent_versions'>

/** One part of a run's input: its fields, and its part of the request. */
export interface StartPart {
  name: string
  view: ReactNode
  /** Undefined if there are errors, which are then shown. */
  read: () => CreateRun | undefined
  /** Whether this part alone is enough to start a run. */
  isGiven: boolean
  /** Whether an upload is in progress. */
  isBusy?: boolean
  /** Name of the missing part; undefined if nothing is missing. */
  lacks?: string
  /** Shows the API's error at its field. */
  blame: (fault: { param: string; message: string }) => void
}
