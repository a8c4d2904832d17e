import { useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { TextField } from '../ui/form/field.tsx'
import { Form } from '../ui/form/form.tsx'
import { createClient } from './client.ts'
import { identityOf } from './identity.ts'
import type { Enter } from './session.tsx'
import { useSubmit } from './submit.ts'

/** Requests a reset link. The page shows the same whether or not the address has a user. */
export function ForgotForm(): ReactNode {
  const [email, setEmail] = useState('')
  const [isSent, setIsSent] = useState(false)
  const { submit, isBusy, error } = useSubmit(async () => {
    await createClient(undefined).password_resets.create({ email: email.trim() })
    setIsSent(true)
  })
  const back = (
    <a href="/sign-in" className="link justify-self-center text-sm">
      Back to sign-in
    </a>
  )
  if (isSent) {
    return (
      <div className="grid gap-4">
        <p role="status">
          If {email.trim()} has a password here, a link is on its way. It works once, for 30
          minutes.
        </p>
        {back}
      </div>
    )
  }
  return (
    <Form className="grid gap-4" send={submit}>
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={setEmail}
      />
      {error !== undefined && <Failure error={error} />}
      <Button type="submit" kind="primary" isBusy={isBusy}>
        Send link
      </Button>
      {back}
    </Form>
  )
}

interface Props {
  token: string
  enter: Enter
}

/** The page behind the link: sets the password and signs in. */
export function ResetForm({ token, enter }: Props): ReactNode {
  const [password, setPassword] = useState('')
  const { submit, isBusy, error } = useSubmit(async () => {
    const person = await createClient(undefined).password_resets.accept({ token, password })
    history.replaceState(null, '', '/')
    await enter({ identity: identityOf(person) })
  })
  return (
    <Form className="grid gap-4" send={submit}>
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        minLength={10}
        required
        autoFocus
        hint="Ten characters or more."
        value={password}
        onChange={setPassword}
      />
      {error !== undefined && <Failure error={error} />}
      <Button type="submit" kind="primary" isBusy={isBusy}>
        Save new password
      </Button>
    </Form>
  )
}
