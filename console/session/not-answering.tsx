import { useState, type ReactNode } from 'react'
import { MusterError } from '../../sdk/errors.ts'
import { Button } from '../ui/button.tsx'
import { useNow } from '../ui/text/clock.ts'
import { formatSpan } from '../ui/text/format.ts'
import { serverNow } from '../ui/text/server-time.ts'
import { Mark } from '../ui/mark.tsx'

const longestPauseMs = 60_000

/** When to ask again: after growing pauses, or when the response says so. */
export function nextAskAt(tries: number, error: unknown): number {
  const asked = error instanceof MusterError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0
  return serverNow() + Math.max(asked, Math.min(longestPauseMs, 1_000 * 2 ** tries))
}

interface Props {
  error: unknown
  nextAt: number
  askNow: () => void
}

/** The page while nobody knows who is signed in: the service, or something before it, does not answer. */
export function NotAnswering({ error, nextAt, askNow }: Props): ReactNode {
  const now = useNow()
  const [isOpen, setOpen] = useState(false)
  const seconds = Math.max(0, Math.ceil((nextAt - now) / 1_000))
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="grid w-full max-w-sm justify-items-start gap-4">
        <Mark className="size-10" />
        <h1 className="text-xl font-semibold tracking-tight">Muster does not answer yet</h1>
        <p className="text-ink-soft">
          {seconds === 0 ? 'Trying again…' : `Trying again in ${formatSpan(seconds * 1_000)}.`} What
          you typed is kept.
        </p>
        <Button kind="primary" onClick={askNow}>
          Try now
        </Button>
        <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary className="text-sm text-ink-soft">What came instead</summary>
          <p className="said mt-1 text-sm">
            {error instanceof Error ? error.message : String(error)}
          </p>
        </details>
      </div>
    </main>
  )
}
