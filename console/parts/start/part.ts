import type { ReactNode } from 'react'
import type { CreateRun } from '../../../sdk/generated.ts'

/** Versions that a run tries. */
export type Tried = Pick<CreateRun, 'version' | 'agent_versions'>

/** One kind of what a run can be given: its fields, and its share of the request. */
export interface StartPart {
  name: string
  view: ReactNode
  /** Undefined where something is at fault, which is shown then. */
  read: () => CreateRun | undefined
  /** Whether a run can be started with it alone. */
  isGiven: boolean
  /** Whether something of it is still on its way to the service. */
  isBusy?: boolean
  /** What is missing beside it; undefined where nothing is. */
  lacks?: string
  /** Shows what the API found at fault in it. */
  blame: (fault: { param: string; message: string }) => void
}
