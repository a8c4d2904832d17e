import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSchedules } from '../../data/schedules.ts'
import { plural } from '../../ui/text/format.ts'
import { Dot } from '../../ui/status.tsx'
import { Ago } from '../../ui/text/time.tsx'

/** Which schedule fires next, and how many missed their last time; nothing if there are none. */
export function NextFiring(): ReactNode {
  const { data = [] } = useSchedules()
  const missed = data.filter((one) => one.last_firing?.status === 'missed').length
  const [next] = data
    .flatMap((one) => (one.next_due_at === null ? [] : { ...one, at: one.next_due_at }))
    .sort((a, b) => a.at.localeCompare(b.at))
  return (
    <>
      {next !== undefined && (
        <Link
          to="/schedules/$scheduleId"
          params={{ scheduleId: next.id }}
          className="max-w-full truncate hover:underline"
        >
          Next: {next.name} <Ago at={next.at} />
        </Link>
      )}
      {missed > 0 && (
        <Link to="/schedules" className="hover:underline">
          <Dot tone="bad">{plural(missed, 'schedule')} missed</Dot>
        </Link>
      )}
    </>
  )
}
