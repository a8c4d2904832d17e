import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { MusterError } from '../../sdk/errors.ts'
import { wordsOfError } from './form/error-words.ts'
import { saidByDialog } from './form/fault.ts'
import { useSoleFailure } from './form/sole-failure.ts'
import { Button } from './button.tsx'

interface Props {
  error: unknown
  retry?: () => void
}

/** What went wrong, with the request id for the logs. */
export function Failure({ error, retry }: Props): ReactNode {
  const { isShown, retryAll } = useSoleFailure(error, retry)
  if (!isShown || (error instanceof Error && saidByDialog.has(error))) return null
  return (
    <div
      role="alert"
      className="flex items-start gap-2.5 rounded-md bg-bad-soft px-3 py-2.5 text-sm text-bad"
    >
      <CircleAlert size={16} className="mt-0.5 shrink-0" aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <p className="said">{wordsOfError(error)}</p>
        {error instanceof MusterError && error.requestId !== undefined && (
          <p className="mt-0.5 font-mono text-xs opacity-90">Request {error.requestId}</p>
        )}
      </div>
      {retryAll !== undefined && <Button onClick={retryAll}>Try again</Button>}
    </div>
  )
}
