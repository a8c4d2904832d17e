import { useBlocker } from '@tanstack/react-router'
import { useRef, useState, type ReactNode } from 'react'
import { Form } from './form.tsx'
import type { DialogForm } from './dialog-form.ts'
import type { Fields } from './fields.ts'
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

type FormProps<Result> = Dialog & {
  dialog: Omit<DialogForm<never, Result>, keyof Fields<never>>
  action: string
  send: () => Promise<Result>
  isReady?: boolean
  isWide?: boolean
  children?: ReactNode
}

/** A dialog with a form. It opens in its first field, and never drops what was entered unasked. */
export function FormModal<Result>(props: FormProps<Result>): ReactNode {
  const { title, description, help, close, dialog, action, send, children } = props
  const { isReady = true, isWide = false } = props
  const { isSending, error } = dialog
  const [asks, setAsks] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const leave = () => (dialog.isChanged ? setAsks(true) : close())
  const blocker = useBlocker({
    shouldBlockFn: () => dialog.hasUnstored && !isSending,
    enableBeforeUnload: () => dialog.hasUnstored,
    withResolver: true,
  })
  const isBlocked = blocker.status === 'blocked'
  const keepEditing = () => {
    setAsks(false)
    blocker.reset?.()
  }
  // The response may have a secret that is shown only once.
  const onClose = isSending ? {} : { onClose: leave }
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
      <Form ref={form} className="grid gap-4" send={() => dialog.send(send)}>
        {dialog.isRestored && (
          <p
            role="status"
            className="flex items-center gap-3 rounded-md bg-hover px-3 py-1.5 text-sm"
          >
            <span className="flex-1">Your unsaved changes are here.</span>
            <Button kind="quiet" onClick={dialog.discard}>
              Discard
            </Button>
          </p>
        )}
        {children}
        {error !== null && <Failure error={error} />}
        <Button type="submit" kind="primary" isBusy={isSending} disabled={!isReady}>
          {action}
        </Button>
      </Form>
      {(asks || isBlocked) && (
        <Confirm
          title="Discard your changes?"
          action="Discard"
          wayOut="Keep editing"
          run={async () => {
            dialog.discard()
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
