import {
  MutationCache,
  notifyManager,
  QueryCache,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query'
import {
  createContext,
  use,
  useCallback,
  useEffect,
  useMemo,
  useState,
  type ReactNode,
} from 'react'
import type { Muster } from '../../sdk/client.ts'
import { isEndedSession, isNotFound, saidByDialog } from '../ui/form/fault.ts'
import { createClient } from './client.ts'
import { forgetKey, keepKey, readKey } from './credential.ts'
import { identify, type Identity } from './identity.ts'
import { serverNow } from '../ui/text/server-time.ts'
import { forgetDrafts, showDraftsOf } from '../ui/form/draft.ts'
import { tellSignedOut, useOtherTabs } from './other-tabs.ts'
import { rightsOf, type Rights } from './roles.ts'
import { isLink, SignIn } from './sign-in.tsx'
import { NotAnswering, nextAskAt } from './not-answering.tsx'
import { SignInAgain } from './sign-in-again.tsx'

/**
 * The signed-in identity: a user with the browser's session cookie, or an API key that was typed
 * in. If a session ends while a person works, they sign in again in a dialog over the page, so that
 * no input is lost.
 */
export interface Session {
  muster: Muster
  identity: Identity
  rights: Rights
  signOut: () => void
  /** Called after the user has changed their name or switched accounts. */
  enter: (identity: Identity) => void
}

/** Signs in with a key, or as the user of a new session. */
export type Enter = (way: { key: string } | { identity: Identity }) => Promise<void>

const Context = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = use(Context)
  if (session === undefined) throw new Error('There is no session')
  return session
}

type State =
  | { kind: 'looking' }
  /** No usable answer came; another one is asked for at `nextAt`. */
  | { kind: 'unanswered'; error: unknown; tries: number; nextAt: number }
  | { kind: 'out'; error?: unknown }
  | { kind: 'in'; identity: Identity }

export function SessionProvider({ children }: { children: ReactNode }): ReactNode {
  const [key, setKey] = useState(readKey)
  const [state, setState] = useState<State>({ kind: 'looking' })
  const [hasEnded, setHasEnded] = useState(false)
  const [queries] = useState(() => createQueries(() => setHasEnded(true)))
  const muster = useMemo(() => createClient(key), [key])

  const comeIn = useCallback(
    (identity: Identity) => {
      // Data of the previous account must not be shown.
      if (showDraftsOf(identity.account.id)) queries.clear()
      setState({ kind: 'in', identity })
    },
    [queries],
  )
  const tries = state.kind === 'looking' ? 0 : state.kind === 'unanswered' ? state.tries : undefined
  const nextAt = state.kind === 'unanswered' ? state.nextAt : undefined
  useEffect(() => {
    if (tries === undefined) return
    let isCurrent = true
    const ask = () =>
      identify(muster, key !== undefined).then(
        (identity) => isCurrent && comeIn(identity),
        (error: unknown) => {
          if (!isCurrent) return
          if (isEndedSession(error)) return setState({ kind: 'out' })
          const next = { tries: tries + 1, nextAt: nextAskAt(tries, error) }
          setState({ kind: 'unanswered', error, ...next })
        },
      )
    const timer = setTimeout(() => void ask(), nextAt === undefined ? 0 : nextAt - serverNow())
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [tries, nextAt, muster, key, comeIn])

  const enter = useCallback<Enter>(
    async (way) => {
      const newKey = 'key' in way ? way.key : undefined
      const identity = 'key' in way ? await identify(createClient(way.key), true) : way.identity
      if (newKey === undefined) forgetKey()
      else keepKey(newKey)
      setKey(newKey)
      comeIn(identity)
      setHasEnded(false)
    },
    [comeIn],
  )
  useEffect(() => {
    // After all components have the new client.
    if (state.kind === 'in') void queries.invalidateQueries()
  }, [queries, muster, state])
  const signOut = useCallback(() => {
    // Until the service has ended the session, the browser's cookie still signs in the next person.
    const ended = key === undefined ? muster.session.delete() : undefined
    ended?.then(
      // Also ends the provider's session, which would sign in the next person without asking.
      ({ end_session_url: url }) => {
        tellSignedOut()
        if (url !== null) location.assign(url)
      },
      (error: unknown) => {
        if (!isEndedSession(error)) setState({ kind: 'out', error: stillIn(error) })
      },
    )
    forgetKey()
    forgetDrafts()
    setKey(undefined)
    setState({ kind: 'out' })
    setHasEnded(false)
    queries.clear()
  }, [key, muster, queries])

  const identity = state.kind === 'in' ? state.identity : undefined
  useOtherTabs({
    identity,
    isOut: state.kind === 'out' && !isLink(),
    ask: useCallback(() => setState({ kind: 'looking' }), []),
    goOn: useCallback(() => setHasEnded(false), []),
  })
  const session = useMemo(() => {
    if (identity === undefined) return undefined
    const rights = rightsOf(identity.role)
    const change = (identity: Identity) => void enter({ identity })
    return { muster, identity, rights, signOut, enter: change }
  }, [muster, identity, signOut, enter])

  if (state.kind === 'looking') return null
  if (state.kind === 'unanswered' && !isLink()) {
    const askNow = () => setState({ ...state, nextAt: serverNow() })
    return <NotAnswering error={state.error} nextAt={state.nextAt} askNow={askNow} />
  }
  if (session === undefined || isLink()) {
    const error = state.kind === 'out' ? state.error : undefined
    return <SignIn enter={enter} error={error} retry={() => setState({ kind: 'looking' })} />
  }
  return (
    <Context value={session}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
      {hasEnded && <SignInAgain identity={session.identity} enter={enter} signOut={signOut} />}
    </Context>
  )
}

function stillIn(cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new Error(`You are still signed in: ${why}. Try again, then sign out once more.`)
}

// Disables a pressed button before it can be pressed again.
notifyManager.setScheduler(queueMicrotask)

function createQueries(onEnded: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (!isEndedSession(error)) return
    saidByDialog.add(error)
    onEnded()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // A change that is pressed offline fails at once. Paused, it would be sent later, from another
      // page, when the person no longer expects it.
      mutations: { networkMode: 'always' },
      queries: {
        staleTime: 2_000,
        retry: (count, error) => count < 1 && !isEndedSession(error) && !isNotFound(error),
      },
    },
  })
}
