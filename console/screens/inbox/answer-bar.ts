import type { RefObject } from 'react'
import type { WaitingRun } from '../../../sdk/generated.ts'
import type { RunAnswer } from '../../../sdk/runs.ts'

/** What the parts of an answer share. */
export interface AnswerProps {
  waiting: WaitingRun
  /** The call may have been made already: it can only be repeated unchanged, or not. */
  isRepeat: boolean
  isBusy: boolean
  /** Why the answer was rejected. */
  error: unknown
  respond: (answer: RunAnswer) => void
  /** Why the request is closed: what was typed stays, and cannot be sent. */
  closed?: string | undefined
  /** Keyboard shortcuts that decide act at once while the focus is inside this. */
  region: RefObject<HTMLElement | null>
  /**
   * For one of several calls: the buttons are in the call, and keyboard shortcuts work for the call
   * with the focus, else for the current one.
   */
  place?: { isCurrent: boolean }
}

/** The look of an answer in one call of several, and at the bottom of a case. */
export const inCall = 'border-t px-4 py-3 print:hidden'
export const bar =
  'foot-bar bottom-[calc(3.5rem+var(--not-live))] z-10 -mx-4 border-t bg-canvas/95 px-4 py-3 backdrop-blur-sm sm:-mx-8 sm:px-8 md:bottom-(--not-live)'
