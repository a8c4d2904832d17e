import { useEffect } from 'react'
import type { Identity } from './identity.ts'

/**
 * All tabs of a browser share one session: signing in or switching accounts in one affects all.
 * Each tab broadcasts whom it shows; a tab that receives another identity or account asks the
 * service.
 */
export function useOtherTabs(identity: Identity | undefined, ask: () => void): void {
  const { person, account } = identity ?? {}
  const shown = person && `${person.id} ${account?.id}`
  useEffect(() => {
    if (shown === undefined) return
    const channel = new BroadcastChannel('muster.session')
    channel.addEventListener('message', ({ data }) => data !== shown && ask())
    // A channel only reaches pages of this origin, and has no target.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    channel.postMessage(shown)
    return () => channel.close()
  }, [shown, ask])
}
