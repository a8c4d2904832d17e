import type { ReactNode } from 'react'
import { plural } from '../../ui/text/format.ts'
import { useRecentDays } from './recent-days.ts'
import { RunsByDay } from './runs-by-day.tsx'
import { sumOf } from './view.ts'

/**
 * Runs and failures of the last days, of the account or of one workflow; nothing if no run has
 * ended.
 */
export function RecentRunsChart({ workflowId }: { workflowId?: string }): ReactNode {
  const { days, query } = useRecentDays(workflowId)
  const rows = query.data?.rows ?? []
  const { runs, failed } = sumOf(rows)
  if (!runs) return null
  return (
    <RunsByDay
      rows={rows}
      days={days}
      height={110}
      label={`${plural(runs, 'run')} in the last ${days.length} days, ${failed} failed`}
    />
  )
}
