import { WifiOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { useNow } from '../../ui/text/clock.ts'
import { formatClock } from '../../ui/text/format.ts'

/** Shorter interruptions are not shown. */
const tellAfterMs = 2_000

/**
 * Says since when the page is not up to date. An overlay, so that nothing moves; bars at the bottom
 * leave room for it, so that it covers no buttons.
 */
export function Broken({ since }: { since: number }): ReactNode {
  const now = useNow()
  if (now - since < tellAfterMs) return null
  const at = new Date(since)
  return (
    <p
      role="status"
      id="not-live"
      className="print:hidden fixed bottom-16 left-1/2 z-40 flex w-max max-w-[calc(100vw-2rem)] -translate-x-1/2 items-center gap-2 rounded-full border bg-raised px-4 py-2 text-sm shadow-raised md:bottom-4"
    >
      <WifiOff size={15} className="shrink-0 text-warn" aria-hidden="true" />
      <span>
        Not live since <time dateTime={at.toISOString()}>{formatClock(at)}</time>. Connecting again…
      </span>
    </p>
  )
}
