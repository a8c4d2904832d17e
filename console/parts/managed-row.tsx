import { useMutation } from '@tanstack/react-query'
import { useId, type ReactNode } from 'react'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'
import { OpenForm } from '../ui/form/open-form.tsx'
import { Dot } from '../ui/status.tsx'
import { toLine } from '../ui/text/invisible.ts'

interface Props {
  item: { name: string; active: boolean }
  /** Completes button labels such as "Delete channel". */
  noun: string
  about: ReactNode
  state: ReactNode
  /** The right that its buttons need. */
  needs: 'administer' | 'write'
  test?: { label: string; run: () => Promise<{ ok: boolean; message: string }> }
  setActive: (active: boolean) => Promise<unknown>
  remove: () => Promise<unknown>
  removeWarning: string
  refresh: () => Promise<void>
  renderForm: (close: () => void) => ReactNode
  children?: ReactNode
}

/** A row of a short list, with buttons to test, pause, change and delete its item. */
export function ManagedRow(props: Props): ReactNode {
  const { item, refresh, test } = props
  const { rights } = useSession()
  const id = useId()
  const tested = useMutation({ mutationFn: async () => test?.run(), onSettled: refresh })
  const toggle = useMutation({
    mutationFn: () => props.setActive(!item.active),
    onSuccess: refresh,
  })
  const remove = async (): Promise<void> => {
    await props.remove()
    await refresh()
  }
  const error = tested.error ?? toggle.error
  return (
    <section aria-label={item.name} className="grid grid-cols-[minmax(0,1fr)] gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="min-w-0 flex-1 basis-64">
          <span id={id} className="block truncate font-medium">
            {item.name}
          </span>
          <span className="block truncate text-sm text-ink-soft">{props.about}</span>
        </span>
        <span className="flex flex-wrap gap-x-4 text-sm">{props.state}</span>
        {rights[props.needs] && (
          <span className="flex flex-wrap gap-2">
            {test !== undefined && (
              <Button
                aria-describedby={id}
                isBusy={tested.isPending}
                onClick={() => tested.mutate()}
              >
                {test.label}
              </Button>
            )}
            <Button aria-describedby={id} isBusy={toggle.isPending} onClick={() => toggle.mutate()}>
              {item.active ? 'Pause' : 'Resume'}
            </Button>
            <OpenForm label="Change" aria-describedby={id}>
              {props.renderForm}
            </OpenForm>
            <ConfirmButton
              label="Delete"
              aria-describedby={id}
              title={`Delete ${item.name}?`}
              action={`Delete ${props.noun}`}
              wayOut="Cancel"
              run={remove}
            >
              {props.removeWarning}
            </ConfirmButton>
          </span>
        )}
      </div>
      {tested.data !== undefined && (
        <p role="status" className={`text-sm ${tested.data.ok ? 'text-ok' : 'text-bad'}`}>
          {toLine(tested.data.message, 500)}
        </p>
      )}
      {error !== null && <Failure error={error} />}
      {props.children}
    </section>
  )
}

interface Tried {
  active: boolean
  state: 'saved' | 'working' | 'failing'
}

/** The state of an item that the service uses in the background. */
export function TriedState({ item: { active, state } }: { item: Tried }): ReactNode {
  if (!active) return <Dot tone="neutral">Paused</Dot>
  if (state === 'failing') return <Dot tone="bad">Failing</Dot>
  if (state === 'working') return <Dot tone="ok">Working</Dot>
  return <Dot tone="neutral">Not tried yet</Dot>
}
