import { useEffect, useState, type ReactNode } from 'react'
import { Failure } from '../ui/failure.tsx'
import { Button } from '../ui/button.tsx'
import { Mark } from '../ui/mark.tsx'
import { isEndedSession } from './client.ts'
import { KeyForm } from './key-form.tsx'

interface Props {
  storedKey: string | undefined
  enter: (key: string) => Promise<void>
  forget: () => void
}

/** The first page. A key that this tab knows already is tried before anybody is asked. */
export function SignIn({ storedKey, enter, forget }: Props): ReactNode {
  const [error, setError] = useState<unknown>()
  const [tries, setTries] = useState(0)

  useEffect(() => {
    if (storedKey === undefined) return
    let isCurrent = true
    enter(storedKey).catch((error: unknown) => {
      if (!isCurrent) return
      if (isEndedSession(error)) forget()
      else setError(error)
    })
    return () => {
      isCurrent = false
    }
  }, [storedKey, enter, forget, tries])

  const tryAgain = () => {
    setError(undefined)
    setTries(tries + 1)
  }
  if (storedKey !== undefined && error === undefined) return null
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="w-full max-w-sm">
        <Mark className="mb-6 size-10" />
        <h1 className="text-xl font-semibold tracking-tight">Sign in to Muster</h1>
        {storedKey === undefined ? (
          <>
            <p className="mt-1 mb-6 text-ink-soft">
              With an API key of your account. The first start prints one; with the embedded
              database it is kept in <code className="code">.muster/admin-key</code>.
            </p>
            <KeyForm enter={enter} />
          </>
        ) : (
          <div className="mt-6 grid gap-4">
            <Failure error={error} />
            <div className="flex gap-2">
              <Button kind="primary" onClick={tryAgain}>
                Try again
              </Button>
              <Button onClick={forget}>Use another key</Button>
            </div>
          </div>
        )}
      </div>
    </main>
  )
}
