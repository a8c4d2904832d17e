import { useMemo, type ReactNode } from 'react'
import type { Usage } from '../../../sdk/generated.ts'
import { formatCount, plural } from '../../ui/text/format.ts'
import { DayChart } from './day-chart.tsx'
import { fillDays } from './view.ts'

interface Props {
  rows: readonly Usage[]
  days: string[]
  height?: number
  /** For screen readers, where no table has the numbers. */
  label?: string
}

/** A chart of ended runs, with failed ones in red. */
export function RunsByDay({ rows, days, ...rest }: Props): ReactNode {
  const { filled, series } = useMemo(() => {
    const filled = fillDays(rows, days)
    return {
      filled,
      series: [
        { values: filled.map((row) => row.runs ?? 0), tone: 'text-live' },
        { values: filled.map((row) => row.failed ?? 0), tone: 'text-bad' },
      ],
    }
  }, [rows, days])
  return (
    <DayChart
      title="Runs by day (failed in red)"
      days={days}
      series={series}
      describe={(place) =>
        `${days[place]}: ${plural(filled[place]?.runs ?? 0, 'run')}, ${filled[place]?.failed ?? 0} failed`
      }
      format={formatCount}
      {...rest}
    />
  )
}
