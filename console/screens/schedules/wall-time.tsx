import type { ReactNode } from 'react'
import { formatExact } from '../../ui/text/format.ts'

/** A time in the schedule's time zone; in the viewer's on hover. */
export function WallTime({ at, zone }: { at: string; zone: string }): ReactNode {
  return (
    <time dateTime={at} title={formatExact(at)} className="whitespace-nowrap tabular-nums">
      {formatIn(zone).format(new Date(at))}
    </time>
  )
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
}
