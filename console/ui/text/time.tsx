import type { ReactNode } from 'react'
import { useIsPrinting } from './printing.ts'
import { useNow } from './clock.ts'
import { useExactTimes } from './exact-times.ts'
import { formatAgo, formatExact, formatSpan } from './format.ts'

/** How long ago, with the exact time on hover; or the exact time on paper, or if the person prefers it. */
export function Ago({ at }: { at: string }): ReactNode {
  const now = useNow()
  const isExact = useExactTimes()
  const isPrinting = useIsPrinting()
  return (
    <time dateTime={at} title={formatExact(at)} className="whitespace-nowrap">
      {isExact || isPrinting ? formatExact(at) : formatAgo(Date.parse(at), now)}
    </time>
  )
}

/** A duration, up to now if it has no end yet. */
export function Span({ from, to }: { from: string; to: string | null }): ReactNode {
  const now = useNow()
  const ms = Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from))
  return (
    <span className="whitespace-nowrap tabular-nums">
      {formatSpan(to === null ? Math.floor(ms / 1_000) * 1_000 : ms)}
    </span>
  )
}

/** The remaining time; warns in the last minutes, and says when it is over. */
export function Countdown({ until }: { until: string }): ReactNode {
  const now = useNow()
  const leftMs = Date.parse(until) - now
  return (
    <time
      dateTime={until}
      title={formatExact(until)}
      className={`whitespace-nowrap tabular-nums ${leftMs < 5 * 60_000 ? 'font-medium text-bad' : ''}`}
    >
      {leftMs <= 0 ? 'expired' : `${formatSpan(Math.ceil(leftMs / 1_000) * 1_000)} left`}
    </time>
  )
}
