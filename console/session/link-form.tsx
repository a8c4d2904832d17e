import { useState, type ReactNode } from 'react'
import { TextField } from '../ui/form/field.tsx'
import { createClient } from './client.ts'
import { EmailField, EntryForm, NewPasswordField } from './entry-form.tsx'
import { pathAsked } from './oidc-link.ts'
import { OrganisationLink, useWaysIn } from './organisation-link.tsx'
import { identityOf } from './identity.ts'
import type { Enter } from './session.tsx'

interface Props {
  kind: 'setup' | 'invitation'
  token: string
  enter: Enter
}

/** The page of a one-time link: creates the first admin, or accepts an invitation. */
export function LinkForm({ kind, token, enter }: Props): ReactNode {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const send = async (): Promise<void> => {
    const { setup, invitations } = createClient(undefined)
    const person =
      kind === 'setup'
        ? await setup.create({ token, email: email.trim(), name: name.trim(), password })
        : await invitations.accept({ token, name: name.trim(), password })
    history.replaceState(null, '', pathAsked())
    await enter({ identity: identityOf(person) })
  }
  return (
    <EntryForm
      action={kind === 'setup' ? 'Create admin account' : 'Accept invitation'}
      send={send}
      below={kind === 'invitation' && <ThroughOrganisation />}
    >
      {kind === 'setup' && <EmailField autoFocus value={email} onChange={setEmail} />}
      <TextField
        label="Your name"
        autoComplete="name"
        hint="Display name."
        required
        autoFocus={kind === 'invitation'}
        value={name}
        onChange={setName}
      />
      <NewPasswordField
        hint={
          kind === 'invitation'
            ? 'Ten characters or more; your current one if you already have a user here.'
            : 'Ten characters or more.'
        }
        value={password}
        onChange={setPassword}
      />
    </EntryForm>
  )
}

/** The provider proves the invited address, which accepts the invitation without its link. */
function ThroughOrganisation(): ReactNode {
  const ways = useWaysIn()
  if (ways === undefined || ways.oidc_url === null) return null
  return (
    <div className="grid gap-1.5 border-t pt-4">
      <OrganisationLink ways={ways} returnTo={pathAsked()} />
      <p className="text-xs text-ink-faint">
        No password is needed if your email address there is the invited one.
      </p>
    </div>
  )
}
