import { createContext, use, useCallback, useMemo, useState, type ReactNode } from 'react'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'
import type { Account } from '../../sdk/generated.ts'
import { createClient, isEndedSession, isNotFound } from './client.ts'
import { forgetKey, keepKey, readKey } from './credential.ts'
import { rightsOf, type Rights, type Role } from './roles.ts'
import { SignIn } from './sign-in.tsx'
import { SignInAgain } from './sign-in-again.tsx'

/**
 * Who is signed in. A session that ends while somebody works is taken up again in a dialog over the
 * page: nothing that was typed is lost.
 */
export interface Session {
  muster: Muster
  account: Account
  role: Role
  rights: Rights
  signOut: () => void
}

const Context = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = use(Context)
  if (session === undefined) throw new Error('There is no session')
  return session
}

export function SessionProvider({ children }: { children: ReactNode }): ReactNode {
  const [key, setKey] = useState(readKey)
  const [account, setAccount] = useState<Account>()
  const [hasEnded, setHasEnded] = useState(false)
  const muster = useMemo(() => (key === undefined ? undefined : createClient(key)), [key])
  const [queries] = useState(() => createQueries(() => setHasEnded(true)))

  const enter = useCallback(
    async (key: string) => {
      const account = await createClient(key).account.retrieve()
      keepKey(key)
      setKey(key)
      setAccount(account)
      setHasEnded(false)
      await queries.invalidateQueries()
    },
    [queries],
  )
  const signOut = useCallback(() => {
    forgetKey()
    setKey(undefined)
    setAccount(undefined)
    setHasEnded(false)
    queries.clear()
  }, [queries])

  const session = useMemo(() => {
    if (muster === undefined || account === undefined) return undefined
    const role: Role = account.key.role
    return { muster, account, role, rights: rightsOf(role), signOut }
  }, [muster, account, signOut])

  if (session === undefined) {
    return <SignIn storedKey={key} enter={enter} forget={signOut} />
  }
  return (
    <Context value={session}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
      {hasEnded && <SignInAgain enter={enter} signOut={signOut} />}
    </Context>
  )
}

function createQueries(onEnded: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isEndedSession(error)) onEnded()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        retry: (count, error) => count < 1 && !isEndedSession(error) && !isNotFound(error),
      },
    },
  })
}
