import { useMutation } from '@tanstack/react-query'
import { CircleCheck, CircleX } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import type { Connector } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Failure } from '../../ui/failure.tsx'
import { OpenForm } from '../../ui/form/open-form.tsx'
import { Dot } from '../../ui/status.tsx'
import { Ago } from '../../ui/text/time.tsx'

type Connection = Pick<
  Connector,
  'id' | 'label' | 'stored' | 'state' | 'message' | 'checked_at' | 'failing_since'
>

interface Props {
  /** A connector or a model provider. */
  connection: Connection
  /** Its state if the account has stored nothing for it. */
  unstored: 'Ready' | 'Not connected' | 'No key'
  /** Shown after its id. */
  details: ReactNode
  /** False for connectors of the server that need no credentials. */
  isSettable: boolean
  /** The button that stores credentials for the first time. */
  connectLabel: string
  test: () => Promise<{ ok: boolean; message: string }>
  remove: () => Promise<unknown>
  removeLabel: string
  /** What happens when its credentials are deleted. */
  removeWarning: string
  refresh: () => Promise<void>
  renderForm: (close: () => void) => ReactNode
  /** A button for everybody, such as for a login of their own. */
  login?: ReactNode
  children: ReactNode
}

/**
 * A connection of the account to a service: its state and, for admins, buttons to test, change and
 * remove it.
 */
export function ConnectionCard(props: Props): ReactNode {
  const { connection, refresh, removeLabel } = props
  const { label, stored, state, message } = connection
  const { rights } = useSession()
  const id = useId()
  const test = useMutation({ mutationFn: props.test, onSuccess: refresh })
  const remove = async (): Promise<void> => {
    await props.remove()
    await refresh()
  }
  return (
    <section aria-label={label} className="panel overflow-hidden">
      <div className="flex flex-wrap items-center gap-3 px-4 py-3">
        <div className="min-w-0 flex-1 basis-48">
          <h2 id={id} className="font-semibold wrap-anywhere">
            {label}
          </h2>
          <p className="flex flex-wrap items-center gap-x-2 text-sm text-ink-soft">
            <State connection={connection} unstored={props.unstored} />
            <span className="font-mono text-xs text-ink-faint">{connection.id}</span>
            {props.details}
          </p>
        </div>
        {props.login}
        {rights.administer && props.isSettable && (
          <div className="flex flex-wrap gap-2">
            {stored && (
              <Button aria-describedby={id} isBusy={test.isPending} onClick={() => test.mutate()}>
                Test
              </Button>
            )}
            <OpenForm label={stored ? 'Change' : props.connectLabel} aria-describedby={id}>
              {props.renderForm}
            </OpenForm>
            {stored && (
              <ConfirmButton
                label={removeLabel}
                aria-describedby={id}
                kind="quiet"
                title={`${removeLabel} ${label}?`}
                action={removeLabel}
                wayOut="Cancel"
                run={remove}
              >
                {props.removeWarning}
              </ConfirmButton>
            )}
          </div>
        )}
      </div>
      {(state === 'failing' || state === 'needs_login') &&
        test.data === undefined &&
        message !== null && (
          <p className="border-t bg-bad-soft px-4 py-2 text-sm wrap-anywhere text-bad">{message}</p>
        )}
      {test.data !== undefined && <TestResult {...test.data} />}
      {test.error !== null && (
        <div className="border-t p-3">
          <Failure error={test.error} />
        </div>
      )}
      {props.children}
    </section>
  )
}

/** The result of its last test or use. */
function State({ connection, unstored }: Pick<Props, 'connection' | 'unstored'>): ReactNode {
  const { state, checked_at: checkedAt, failing_since: failingSince } = connection
  if (state === 'failing' && failingSince !== null) {
    return (
      <Dot tone="bad">
        Failing · <Ago at={failingSince} />
      </Dot>
    )
  }
  if (state === 'needs_login') return <Dot tone="warn">Needs login</Dot>
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
  return <Dot tone={unstored === 'Ready' ? 'ok' : 'neutral'}>{unstored}</Dot>
}

function TestResult({ ok, message }: { ok: boolean; message: string }): ReactNode {
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
