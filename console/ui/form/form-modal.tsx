import type { ReactNode } from 'react'
import { Form } from './form.tsx'
import { Button } from '../button.tsx'
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

interface FormProps extends Dialog {
  action: string
  sending: { mutate: () => void; isPending: boolean }
  /** The API's error; null if a field shows it. */
  error: unknown
  isReady?: boolean
  children?: ReactNode
}

/** A dialog with a form. */
export function FormModal(props: FormProps): ReactNode {
  const { title, description, help, close, action, sending, error, isReady = true } = props
  // The response may have a secret that is shown only once.
  const onClose = sending.isPending ? {} : { onClose: close }
  return (
    <Modal title={title} description={description} help={help} {...onClose}>
      <Form className="grid gap-4" send={() => sending.mutate()}>
        {props.children}
        {error !== null && <Failure error={error} />}
        <Button type="submit" kind="primary" isBusy={sending.isPending} disabled={!isReady}>
          {action}
        </Button>
      </Form>
    </Modal>
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
