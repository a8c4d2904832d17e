import type { Run } from '../../sdk/generated.ts'
import type { Tone } from '../ui/status.tsx'

/** The label of a run's status; cancelled runs are separate from failed ones. */
export type RunState = Run['status'] | 'cancelled'

export const runStates: Record<RunState, { tone: Tone; word: string; isLive: boolean }> = {
  queued: { tone: 'neutral', word: 'Queued', isLive: true },
  running: { tone: 'live', word: 'Running', isLive: true },
  waiting_input: { tone: 'warn', word: 'Waiting', isLive: true },
  completed: { tone: 'ok', word: 'Completed', isLive: false },
  failed: { tone: 'bad', word: 'Failed', isLive: false },
  cancelled: { tone: 'neutral', word: 'Cancelled', isLive: false },
}

export function stateOf({ status, error_code }: Pick<Run, 'status' | 'error_code'>): RunState {
  return status === 'failed' && error_code === 'cancelled' ? 'cancelled' : status
}

export function hasEnded({ status }: Pick<Run, 'status'>): boolean {
  return status === 'completed' || status === 'failed'
}

/** The run has ended or waits for a person. */
export function isIdle(run: Pick<Run, 'status'>): boolean {
  return hasEnded(run) || run.status === 'waiting_input'
}
