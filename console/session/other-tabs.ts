import { useEffect } from 'react'
import type { Identity } from './identity.ts'

/**
 * The tabs of a browser have one session: who signs in in one of them, or goes to another account there, does so in all.
 * Each says who it shows; one that hears of somebody else, or of another account, asks the service.
 */
export function useOtherTabs(identity: Identity | undefined, ask: () => void): void {
  const { person, account } = identity ?? {}
  const shown = person && `${person.id} ${account?.id}`
  useEffect(() => {
    if (shown === undefined) return
    const channel = new BroadcastChannel('muster.session')
    channel.addEventListener('message', ({ data }) => data !== shown && ask())
    // A channel reaches the pages of this origin, and no target can be named.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    channel.postMessage(shown)
    return () => channel.close()
  }, [shown, ask])
}
