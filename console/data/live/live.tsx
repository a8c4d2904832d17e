import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { useIsAwake } from './awake.ts'
import { Broken } from './broken.tsx'
import { follow, type Connection } from './follow.ts'

const asleepEveryMs = 15_000

/**
 * Keeps every screen up to date through the account's single stream, and shows when it is broken.
 */
export function Live(): ReactNode {
  // Signing in again creates a new identity, and so opens the stream at once.
  const { muster, identity } = useSession()
  const queries = useQueryClient()
  const isAwake = useIsAwake()
  const [connection, setConnection] = useState<Connection>({ state: 'opening' })
  useEffect(() => {
    if (!isAwake) {
      // The tab's title shows the number of waiting requests.
      const read = () => void queries.invalidateQueries({ queryKey: ['pending'] })
      const timer = setInterval(read, asleepEveryMs)
      return () => clearInterval(timer)
    }
    const stop = new AbortController()
    const { signal } = stop
    void follow({
      muster,
      accountId: identity.account.id,
      queries,
      signal,
      onChange: setConnection,
    })
    return () => stop.abort()
  }, [muster, identity, queries, isAwake])
  return connection.state === 'broken' && isAwake ? <Broken since={connection.since} /> : null
}
