import type { ReactNode } from 'react'
import type { Batch } from '../../../sdk/generated.ts'
import type { ItemStatus } from '../../data/batches.ts'
import { runStates } from '../../data/run-states.ts'
import { Dot, type Tone } from '../../ui/status.tsx'

const states: Record<Batch['status'], { tone: Tone; word: string }> = {
  running: { tone: 'live', word: 'Running' },
  cancelling: { tone: 'warn', word: 'Cancelling' },
  cancelled: { tone: 'neutral', word: 'Cancelled' },
  completed: { tone: 'ok', word: 'Completed' },
}

export function BatchState({ batch }: { batch: Batch }): ReactNode {
  const { status, failed, finished_at: finishedAt, held } = batch
  if (held !== null) return <Dot tone="warn">Held</Dot>
  const { tone, word } = states[status]
  const isMixed = status === 'completed' && failed > 0
  return (
    <Dot tone={isMixed ? 'bad' : tone} isLive={finishedAt === null}>
      {isMixed ? `Completed, ${failed} failed` : word}
    </Dot>
  )
}

export const itemStates: Record<ItemStatus, { tone: Tone; word: string; isLive: boolean }> = {
  queued: runStates.queued,
  running: runStates.running,
  waiting: runStates.waiting_input,
  completed: runStates.completed,
  failed: runStates.failed,
  cancelled: runStates.cancelled,
}

/** The progress of a batch as a bar. */
export function Progress({ batch }: { batch: Batch }): ReactNode {
  const { total, completed, failed, cancelled } = batch
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
      <span className="bg-ok" style={width(completed)} />
      <span className="bg-bad" style={width(failed)} />
      <span className="bg-ink-faint" style={width(cancelled)} />
    </div>
  )
}
