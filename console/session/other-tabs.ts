import { useEffect } from 'react'
import type { Identity } from './identity.ts'

const name = 'muster.session'
const signedOut = 'signed out'

interface State {
  /** Undefined before the first answer, and after a sign-out. */
  identity: Identity | undefined
  isOut: boolean
  /** Asks the service who is signed in. */
  ask: () => void
  /** The same person has signed in again: a tab whose session had ended goes on. */
  goOn: () => void
}

/**
 * All tabs of a browser share one session: signing in, switching accounts or signing out in one
 * affects all. Each tab broadcasts whom it shows; a tab that receives another identity or account,
 * or that shows nobody, asks the service.
 */
export function useOtherTabs({ identity, isOut, ask, goOn }: State): void {
  const { person, account } = identity ?? {}
  const shown = person && `${person.id} ${account?.id}`
  useEffect(() => {
    // A tab with an API key has a session of its own.
    if (shown === undefined && !isOut) return
    const channel = new BroadcastChannel(name)
    channel.addEventListener('message', ({ data }) => {
      if (shown !== undefined && data === shown) goOn()
      else if (shown !== undefined || data !== signedOut) ask()
    })
    if (shown !== undefined) post(channel, shown)
    return () => channel.close()
    // A new identity of the same person is a new sign-in.
  }, [identity, shown, isOut, ask, goOn])
}

/** Has the other tabs ask the service, which has ended the session. */
export function tellSignedOut(): void {
  const channel = new BroadcastChannel(name)
  post(channel, signedOut)
  channel.close()
}

function post(channel: BroadcastChannel, message: string): void {
  // A channel only reaches pages of this origin, and has no target.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage(message)
}
