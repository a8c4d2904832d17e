import { useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { TextField } from '../ui/form/field.tsx'
import { Form } from '../ui/form/form.tsx'
import { createClient } from './client.ts'
import { pathAsked } from './oidc-link.ts'
import { OrganisationLink, useWaysIn } from './organisation-link.tsx'
import { identityOf } from './identity.ts'
import type { Enter } from './session.tsx'
import { useSubmit } from './submit.ts'

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
  const { submit, isBusy, error } = useSubmit(async () => {
    const { setup, invitations } = createClient(undefined)
    const person =
      kind === 'setup'
        ? await setup.create({ token, email: email.trim(), name: name.trim(), password })
        : await invitations.accept({ token, name: name.trim(), password })
    history.replaceState(null, '', pathAsked())
    await enter({ identity: identityOf(person) })
  })
  return (
    <Form className="grid gap-4" send={submit}>
      {kind === 'setup' && (
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={setEmail}
        />
      )}
      <TextField
        label="Your name"
        autoComplete="name"
        hint="Display name."
        required
        autoFocus={kind === 'invitation'}
        value={name}
        onChange={setName}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        minLength={10}
        required
        hint={
          kind === 'invitation'
            ? 'Ten characters or more; your current one if you already have a user here.'
            : 'Ten characters or more.'
        }
        value={password}
        onChange={setPassword}
      />
      {error !== undefined && <Failure error={error} />}
      <Button type="submit" kind="primary" isBusy={isBusy}>
        {kind === 'setup' ? 'Create admin account' : 'Accept invitation'}
      </Button>
      {kind === 'invitation' && <ThroughOrganisation />}
    </Form>
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
