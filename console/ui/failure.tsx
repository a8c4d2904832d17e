import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { MusterError } from '../../sdk/errors.ts'
import { Offline, saidByDialog } from './form/fault.ts'
import { Button } from './button.tsx'

interface Props {
  error: unknown
  retry?: () => void
}

/** The API's error message, with the request id for the logs. */
export function Failure({ error, retry }: Props): ReactNode {
  if (error instanceof Error && saidByDialog.has(error)) return null
  return (
    <div
      role="alert"
      className="flex items-start gap-2.5 rounded-md bg-bad-soft px-3 py-2.5 text-sm text-bad"
    >
      <CircleAlert size={16} className="mt-0.5 shrink-0" aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <p className="said">{messageOf(error)}</p>
        {error instanceof MusterError && error.requestId !== undefined && (
          <p className="mt-0.5 font-mono text-xs opacity-90">Request {error.requestId}</p>
        )}
      </div>
      {retry !== undefined && <Button onClick={retry}>Try again</Button>}
    </div>
  )
}

function messageOf(error: unknown): string {
  if (error instanceof MusterError && error.cause instanceof Offline) {
    return 'You are offline. Try again when the connection is back.'
  }
  if (error instanceof MusterError && error.status === 0) {
    return `The service does not answer. ${error.message}`
  }
  return error instanceof Error ? error.message : String(error)
}
