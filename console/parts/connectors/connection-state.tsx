import { CircleCheck, CircleX } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Connector } from '../../../sdk/generated.ts'
import { Dot } from '../../ui/status.tsx'
import { Ago } from '../../ui/text/time.tsx'

interface Props {
  connection: Pick<Connector, 'state' | 'checked_at' | 'failing_since'>
  /** Said of what the account has not stored itself. */
  other: 'Ready' | 'Not connected' | 'No key'
}

/** What the last test or use of a connector or a model provider found. */
export function ConnectionState({ connection, other }: Props): ReactNode {
  const { state, checked_at: checkedAt, failing_since: failingSince } = connection
  if (state === 'failing' && failingSince !== null) {
    return (
      <Dot tone="bad">
        Failing · <Ago at={failingSince} />
      </Dot>
    )
  }
  if (state === 'working' && checkedAt !== null) {
    return (
      <>
        <Dot tone="ok">Working</Dot>
        <span className="text-xs text-ink-faint">
          checked <Ago at={checkedAt} />
        </span>
      </>
    )
  }
  if (state === 'saved') return <Dot tone="neutral">Not tested</Dot>
  return <Dot tone={other === 'Ready' ? 'ok' : 'neutral'}>{other}</Dot>
}

export function TestResult({ ok, message }: { ok: boolean; message: string }): ReactNode {
  const Icon = ok ? CircleCheck : CircleX
  return (
    <p
      role="status"
      className={`flex items-start gap-2 border-t px-4 py-2 text-sm ${ok ? 'bg-ok-soft text-ok' : 'bg-bad-soft text-bad'}`}
    >
      <Icon size={16} className="mt-0.5 shrink-0" aria-hidden="true" />
      <span className="said">{message}</span>
    </p>
  )
}
