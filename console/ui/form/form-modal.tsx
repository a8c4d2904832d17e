import { useBlocker } from '@tanstack/react-router'
import { useRef, useState, type ReactNode } from 'react'
import { Form } from './form.tsx'
import type { FormDraft } from './form-draft.ts'
import { Button } from '../button.tsx'
import { Confirm } from '../confirm.tsx'
import { Failure } from '../failure.tsx'
import type { HelpTopic } from '../help/topics.ts'
import { Modal } from '../modal.tsx'
import { Secret } from '../secret.tsx'

interface Dialog {
  title: string
  description?: ReactNode
  help: HelpTopic
  close: () => void
}

/** A form with fields keeps them as a draft. */
type Content =
  | { draft: FormDraft; children: ReactNode }
  | { draft?: undefined; children?: undefined }

type FormProps = Dialog &
  Content & {
    action: string
    sending: { mutate: () => void; isPending: boolean }
    /** The API's error; null if a field shows it. */
    error: unknown
    isReady?: boolean
    isWide?: boolean
  }

/** A dialog with a form. It opens in its first field, and never drops what was entered unasked. */
export function FormModal(props: FormProps): ReactNode {
  const {
    title,
    description,
    help,
    close,
    action,
    sending,
    error,
    isReady = true,
    children,
  } = props
  const { draft, isWide = false } = props
  const [asks, setAsks] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const leave = () => (draft?.isChanged === true ? setAsks(true) : close())
  const blocker = useBlocker({
    shouldBlockFn: () => draft?.hasUnstored === true && !sending.isPending,
    enableBeforeUnload: () => draft?.hasUnstored === true,
    withResolver: true,
  })
  const isBlocked = blocker.status === 'blocked'
  const keepEditing = () => {
    setAsks(false)
    blocker.reset?.()
  }
  // The response may have a secret that is shown only once.
  const onClose = sending.isPending ? {} : { onClose: leave }
  return (
    <Modal
      title={title}
      description={description}
      help={help}
      isWide={isWide}
      // A touch would open the keyboard over the form.
      initialFocus={(by) => (by === 'touch' ? true : (firstField(form.current) ?? true))}
      {...onClose}
    >
      <Form ref={form} className="grid gap-4" send={() => sending.mutate()}>
        {draft?.isRestored === true && (
          <p
            role="status"
            className="flex items-center gap-3 rounded-md bg-hover px-3 py-1.5 text-sm"
          >
            <span className="flex-1">Your unsaved changes are here.</span>
            <Button kind="quiet" onClick={draft.discard}>
              Discard
            </Button>
          </p>
        )}
        {children}
        {error !== null && <Failure error={error} />}
        <Button type="submit" kind="primary" isBusy={sending.isPending} disabled={!isReady}>
          {action}
        </Button>
      </Form>
      {(asks || isBlocked) && (
        <Confirm
          title="Discard your changes?"
          action="Discard"
          wayOut="Keep editing"
          run={async () => {
            draft?.discard()
            if (isBlocked) blocker.proceed()
            else close()
          }}
          onClose={keepEditing}
        >
          What you entered is not saved.
        </Confirm>
      )}
    </Modal>
  )
}

function firstField(form: HTMLElement | null): HTMLElement | undefined {
  return (
    form?.querySelector<HTMLElement>(
      ':is(input:not([type=file], [hidden]), textarea, select, [role=combobox]):enabled',
    ) ?? undefined
  )
}

interface SecretProps extends Dialog {
  label: string
  value: string
  done?: string
}

/** Shows a secret once. Neither Escape nor a click outside closes it. */
export function SecretModal(props: SecretProps): ReactNode {
  const { title, description, help, close, label, value, done = 'I have stored it' } = props
  return (
    <Modal title={title} description={description} help={help}>
      <Secret label={label} value={value} />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" onClick={close}>
          {done}
        </Button>
      </div>
    </Modal>
  )
}
