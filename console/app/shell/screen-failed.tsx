import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect, useState, type ReactNode } from 'react'
import { Failure } from '../../ui/failure.tsx'
import { isNotLoaded, reloadOnce, waitForPage } from '../not-loaded.ts'

/** Shown in place of a screen that failed, within the shell. Drafts stay. */
export function ScreenFailed({ error }: ErrorComponentProps): ReactNode {
  const [isWaiting, setWaiting] = useState(() => isNotLoaded(error))
  useEffect(() => {
    if (!isNotLoaded(error)) return
    const stop = new AbortController()
    void waitForPage(stop.signal).then((page) => {
      if (page !== undefined && !reloadOnce(page)) setWaiting(false)
    })
    return () => stop.abort()
  }, [error])
  return (
    <div className="mx-auto max-w-xl p-8">
      {isWaiting ? (
        <p role="status" className="text-ink-soft">
          This screen is not loaded yet. It loads as soon as Muster answers.
        </p>
      ) : (
        <Failure error={error} retry={() => location.reload()} />
      )}
    </div>
  )
}
