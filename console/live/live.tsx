import { useQueryClient } from '@tanstack/react-query'
import { WifiOff } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { useSession } from '../session/session.tsx'
import { useNow } from '../ui/clock.ts'
import { useIsAwake } from './awake.ts'
import { follow, type Connection } from './follow.ts'

const asleepEveryMs = 15_000
/** Nobody needs to know of a break that is over before it is read. */
const tellAfterMs = 2_000

/** Keeps every screen up to date by the one stream of the page; says so when it cannot. */
export function Live(): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const isAwake = useIsAwake()
  const [connection, setConnection] = useState<Connection>({ state: 'opening' })
  useEffect(() => {
    if (!isAwake) {
      // The title of the tab has the number of what waits.
      const read = () => void queries.invalidateQueries({ queryKey: ['pending'] })
      const timer = setInterval(read, asleepEveryMs)
      return () => clearInterval(timer)
    }
    const stop = new AbortController()
    const { signal } = stop
    void follow({ muster, queries, signal, tell: setConnection })
    return () => stop.abort()
  }, [muster, queries, isAwake])
  return connection.state === 'broken' && isAwake ? <Broken since={connection.since} /> : null
}

/** Over the page, so that nothing on it moves. */
function Broken({ since }: { since: number }): ReactNode {
  const now = useNow()
  if (now - since < tellAfterMs) return null
  const time = new Date(since).toLocaleTimeString()
  return (
    <p
      role="status"
      className="fixed bottom-16 left-1/2 z-40 flex w-max max-w-[calc(100vw-2rem)] -translate-x-1/2 items-center gap-2 rounded-full border bg-raised px-4 py-2 text-sm shadow-raised md:bottom-4"
    >
      <WifiOff size={15} className="shrink-0 text-warn" aria-hidden="true" />
      <span>
        Not live since <time dateTime={new Date(since).toISOString()}>{time}</time>. Connecting
        again…
      </span>
    </p>
  )
}
