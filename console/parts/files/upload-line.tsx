import { CircleAlert, LoaderCircle, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { MusterError } from '../../../sdk/errors.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { formatBytes } from '../../ui/text/format.ts'
import { Visible } from '../../ui/text/text.tsx'
import type { Upload } from './uploads.ts'
import { wordsOfError } from '../../ui/form/error-words.ts'

interface Props {
  upload: Upload
  again: () => void
  drop: () => void
}

/** The progress of an upload, or why it was rejected. */
export function UploadLine({ upload, again, drop }: Props): ReactNode {
  const { name, bytes, sent, error, isInterrupted = false } = upload
  const isRefused = error !== undefined
  const Icon = isRefused ? CircleAlert : LoaderCircle
  return (
    <div className="flex items-center gap-3 px-4 py-2.5">
      <Icon
        size={18}
        strokeWidth={1.7}
        className={`shrink-0 ${isRefused ? 'text-bad' : 'text-ink-faint'}`}
        aria-hidden="true"
      />
      <div className="min-w-0 flex-1">
        <span className="block font-medium wrap-anywhere">
          <Visible text={name} />
        </span>
        {isRefused ? (
          <p role="alert" className="text-sm wrap-anywhere text-bad">
            Not added. {whyOf(error)}
          </p>
        ) : (
          <>
            <p className="text-sm text-ink-soft">
              {formatBytes(bytes)} · {stateOf(sent)}
            </p>
            <progress
              aria-label={`Upload of ${name}`}
              max={1}
              value={sent === undefined ? 0 : sent < 1 ? sent : undefined}
              className="mt-1 h-1 w-full accent-accent-fill"
            />
          </>
        )}
      </div>
      {isInterrupted && (
        <Button aria-label={`Try again: ${name}`} onClick={again}>
          Try again
        </Button>
      )}
      <IconButton
        icon={X}
        label={isRefused ? `Dismiss ${name}` : `Stop the upload of ${name}`}
        onClick={drop}
      />
    </div>
  )
}

function stateOf(sent: number | undefined): string {
  if (sent === undefined) return 'waits'
  return sent < 1 ? `${Math.floor(sent * 100)} % sent` : 'is being read'
}

/** The API's message without its beginning, which the line repeats. */
function whyOf(error: unknown): string {
  const text = wordsOfError(error)
  const why = error instanceof MusterError ? text.replace(/^Cannot upload file: /, '') : text
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}`
}
