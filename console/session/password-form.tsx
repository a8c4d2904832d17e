import { useState, type ReactNode } from 'react'
import { TextField } from '../ui/form/field.tsx'
import { createClient } from './client.ts'
import { EmailField, EntryForm } from './entry-form.tsx'
import { identityOf } from './identity.ts'
import type { Enter } from './session.tsx'

interface Props {
  enter: Enter
  /** The email of the previously signed-in user. */
  email?: string
}

/** Sign-in by password: the API answers with a session cookie. */
export function PasswordForm({ enter, email: known = '' }: Props): ReactNode {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const send = async (): Promise<void> => {
    const person = await createClient(undefined).session.create({ email: email.trim(), password })
    await enter({ identity: identityOf(person) })
  }
  return (
    <EntryForm action="Sign in" send={send}>
      <EmailField autoFocus={known === ''} value={email} onChange={setEmail} />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus={known !== ''}
        value={password}
        onChange={setPassword}
      />
    </EntryForm>
  )
}
