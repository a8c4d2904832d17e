import { useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { TextField } from '../ui/form/field.tsx'
import { Form } from '../ui/form/form.tsx'

interface Props {
  /** Label of the button. */
  action: string
  send: () => Promise<void>
  isReady?: boolean
  children: ReactNode
  below?: ReactNode
}

/** A form for people who are not signed in. */
export function EntryForm({ action, send, isReady = true, children, below }: Props): ReactNode {
  const [{ isBusy, error }, setState] = useState<{ isBusy: boolean; error?: unknown }>({
    isBusy: false,
  })
  const submit = (): void => {
    setState({ isBusy: true })
    send().then(
      () => setState({ isBusy: false }),
      (error: unknown) => setState({ isBusy: false, error }),
    )
  }
  return (
    <Form className="grid gap-4" send={submit}>
      {children}
      {error !== undefined && <Failure error={error} />}
      <Button type="submit" kind="primary" isBusy={isBusy} disabled={!isReady}>
        {action}
      </Button>
      {below}
    </Form>
  )
}

interface FieldProps {
  autoFocus?: boolean
  value: string
  onChange: (value: string) => void
}

export function EmailField(props: FieldProps): ReactNode {
  return <TextField label="Email" type="email" autoComplete="username" required {...props} />
}

interface NewPasswordProps extends FieldProps {
  label?: string
  hint?: string
}

export function NewPasswordField(props: NewPasswordProps): ReactNode {
  return (
    <TextField
      label="Password"
      hint="Ten characters or more."
      type="password"
      autoComplete="new-password"
      minLength={10}
      required
      {...props}
    />
  )
}
