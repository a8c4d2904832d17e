import type { Firing, Run } from '../../../sdk/generated.ts'
import type { Tone } from '../../ui/text/tone.ts'

/**
 * The label of a run's status. Cancelled runs are separate from failed ones, and runs that
 * completed with warnings from those that did all they were to do.
 */
export type RunState = Run['status'] | 'cancelled' | 'warned'

export const runStates: Record<RunState, { tone: Tone; word: string; isLive: boolean }> = {
  queued: { tone: 'neutral', word: 'Queued', isLive: true },
  running: { tone: 'live', word: 'Running', isLive: true },
  waiting_input: { tone: 'warn', word: 'Waiting', isLive: true },
  completed: { tone: 'ok', word: 'Completed', isLive: false },
  warned: { tone: 'warn', word: 'With warnings', isLive: false },
  failed: { tone: 'bad', word: 'Failed', isLive: false },
  cancelled: { tone: 'neutral', word: 'Cancelled', isLive: false },
}

export type Outcome = Pick<Run, 'status' | 'error_code' | 'warnings'>

export function stateOf({ status, error_code, warnings }: Outcome): RunState {
  if (status === 'completed' && warnings.length > 0) return 'warned'
  return status === 'failed' && error_code === 'cancelled' ? 'cancelled' : status
}

/** The run that a firing, a hook's delivery or a message of a mailbox started. */
export type StartedRun = Pick<Firing, 'run_id' | 'run_status' | 'run_has_warnings'>

/** The state of such a run; undefined without a run. */
export function stateOfStarted({
  run_status: status,
  run_has_warnings: isWarned,
}: Omit<StartedRun, 'run_id'>): RunState | undefined {
  return status === 'completed' && isWarned ? 'warned' : (status ?? undefined)
}

export function hasEnded({ status }: Pick<Run, 'status'>): boolean {
  return status === 'completed' || status === 'failed'
}

/** The run has ended or waits for a person. */
export function isIdle(run: Pick<Run, 'status'>): boolean {
  return hasEnded(run) || run.status === 'waiting_input'
}
