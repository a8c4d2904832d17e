import type { Run } from '../../../sdk/generated.ts'
import { hasEnded } from '../../data/runs/states.ts'
import { useNow } from '../../ui/text/clock.ts'
import { dayMs } from '../../ui/text/format.ts'

/**
 * The current end of a run in milliseconds: its actual end, or now. Finished runs do not update
 * with the clock.
 */
export function useRunClock(run: Run): number {
  const isOver = hasEnded(run)
  const ticking = useNow(isOver ? dayMs : 1_000)
  const created = Date.parse(run.created_at)
  return Math.max(isOver ? Date.parse(run.finished_at ?? run.created_at) : ticking, created)
}
