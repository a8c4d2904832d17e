import type { ReactNode } from 'react'
import type { Batch, BatchItem } from '../../../sdk/generated.ts'
import type { ItemState } from '../../data/batches.ts'
import { runStates } from '../../data/runs/states.ts'
import { Dot } from '../../ui/status.tsx'
import type { Tone } from '../../ui/text/tone.ts'

const states: Record<Batch['status'], { tone: Tone; word: string }> = {
  running: { tone: 'live', word: 'Running' },
  cancelling: { tone: 'warn', word: 'Cancelling' },
  cancelled: { tone: 'neutral', word: 'Cancelled' },
  completed: { tone: 'ok', word: 'Completed' },
}

export function BatchState({ batch }: { batch: Batch }): ReactNode {
  const { status, failed, completed_with_warnings: warned, finished_at: finishedAt, held } = batch
  if (held !== null) return <Dot tone="warn">Held</Dot>
  const { tone, word } = states[status]
  if (status === 'completed' && failed > 0) {
    return <Dot tone="bad">{`Completed, ${failed} failed`}</Dot>
  }
  if (status === 'completed' && warned > 0) {
    return <Dot tone="warn">{`Completed, ${warned} with warnings`}</Dot>
  }
  return (
    <Dot tone={tone} isLive={finishedAt === null}>
      {word}
    </Dot>
  )
}

export const itemStates: Record<ItemState, { tone: Tone; word: string; isLive: boolean }> = {
  queued: runStates.queued,
  running: runStates.running,
  waiting: runStates.waiting_input,
  completed: runStates.completed,
  warned: runStates.warned,
  failed: runStates.failed,
  cancelled: runStates.cancelled,
}

export function itemStateOf({ status, run_has_warnings: isWarned }: BatchItem): ItemState {
  return status === 'completed' && isWarned ? 'warned' : status
}

/** How many items are in each state, in the order of a batch's life. */
export function outcomesOf(batch: Batch): { state: ItemState; count: number }[] {
  const { queued, running, waiting, failed, cancelled } = batch
  const { completed, completed_with_warnings: warned } = batch
  const counts = {
    queued,
    running,
    waiting,
    completed: completed - warned,
    warned,
    failed,
    cancelled,
  }
  return (Object.keys(counts) as ItemState[]).map((state) => ({ state, count: counts[state] }))
}

/** The progress of a batch as a bar. */
export function Progress({ batch }: { batch: Batch }): ReactNode {
  const { total, completed, completed_with_warnings: warned, failed, cancelled } = batch
  const ended = completed + failed + cancelled
  const width = (count: number) => ({ width: `${(100 * count) / total}%` })
  return (
    <div
      role="progressbar"
      aria-label="Progress"
      aria-valuenow={ended}
      aria-valuemin={0}
      aria-valuemax={total}
      className="flex h-2 overflow-hidden rounded-full bg-hover"
    >
      <span className="bg-ok" style={width(completed - warned)} />
      <span className="bg-warn" style={width(warned)} />
      <span className="bg-bad" style={width(failed)} />
      <span className="bg-ink-faint" style={width(cancelled)} />
    </div>
  )
}
