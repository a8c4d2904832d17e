import { useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { TextField } from '../ui/form/field.tsx'
import { Form } from '../ui/form/form.tsx'
import { createClient } from './client.ts'
import { identityOf } from './identity.ts'
import type { Enter } from './session.tsx'
import { useSubmit } from './submit.ts'

interface Props {
  enter: Enter
  /** The email of the previously signed-in user. */
  email?: string
}

/** Sign-in by password: the API answers with a session cookie. */
export function PasswordForm({ enter, email: known = '' }: Props): ReactNode {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const { submit, isBusy, error } = useSubmit(async () => {
    const person = await createClient(undefined).session.create({ email: email.trim(), password })
    await enter({ identity: identityOf(person) })
  })
  return (
    <Form className="grid gap-4" send={submit}>
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        required
        autoFocus={known === ''}
        value={email}
        onChange={setEmail}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus={known !== ''}
        value={password}
        onChange={setPassword}
      />
      {error !== undefined && <Failure error={error} />}
      <Button type="submit" kind="primary" isBusy={isBusy}>
        Sign in
      </Button>
    </Form>
  )
}
