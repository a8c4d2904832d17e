import { useState, type ReactNode } from 'react'
import { createClient } from './client.ts'
import { EmailField, EntryForm, NewPasswordField } from './entry-form.tsx'
import { identityOf } from './identity.ts'
import type { Enter } from './session.tsx'

/** Requests a reset link. The page shows the same whether or not the address has a user. */
export function ForgotForm(): ReactNode {
  const [email, setEmail] = useState('')
  const [isSent, setIsSent] = useState(false)
  const send = async (): Promise<void> => {
    await createClient(undefined).password_resets.create({ email: email.trim() })
    setIsSent(true)
  }
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
    <EntryForm action="Send link" send={send} below={back}>
      <EmailField autoFocus value={email} onChange={setEmail} />
    </EntryForm>
  )
}

interface Props {
  token: string
  enter: Enter
}

/** The page behind the link: sets the password and signs in. */
export function ResetForm({ token, enter }: Props): ReactNode {
  const [password, setPassword] = useState('')
  const send = async (): Promise<void> => {
    const person = await createClient(undefined).password_resets.accept({ token, password })
    history.replaceState(null, '', '/')
    await enter({ identity: identityOf(person) })
  }
  return (
    <EntryForm action="Save new password" send={send}>
      <NewPasswordField label="New password" autoFocus value={password} onChange={setPassword} />
    </EntryForm>
  )
}
