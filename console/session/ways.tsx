import { useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { KeyForm } from './key-form.tsx'
import { pathToGoOn } from './oidc-link.ts'
import { OrganisationLink, useWaysIn } from './organisation-link.tsx'
import { PasswordForm } from './password-form.tsx'
import type { Enter } from './session.tsx'

interface Props {
  enter: Enter
  email?: string
  /** Shows the key form first, for a session that started with a key. */
  byKey?: boolean
}

/** The sign-in methods of this service: password, the organisation's provider, API key. */
export function Ways({ enter, email, byKey = false }: Props): ReactNode {
  const ways = useWaysIn()
  const [chosen, setChosen] = useState<'key' | 'password'>()
  // Rendered once complete, so that the form does not move while a person types.
  if (ways === undefined) return null
  const isFirst = ways.setup_required
  const usesKey = (chosen ?? (byKey || isFirst ? 'key' : 'password')) === 'key'
  return (
    <div className="grid gap-4">
      {isFirst && (
        <p role="note" className="rounded-md bg-accent-soft px-3 py-2.5 text-sm">
          Nobody has signed in here yet. Each start of the service prints a link that makes the
          first admin, valid for 15 minutes; <code className="code">muster users setup-link</code>{' '}
          prints a new one. Or use the admin key of the first start.
        </p>
      )}
      {usesKey ? (
        <KeyForm enter={enter} />
      ) : (
        <PasswordForm enter={enter} {...(email === undefined ? {} : { email })} />
      )}
      <div className="grid gap-2">
        <OrganisationLink ways={ways} returnTo={pathToGoOn()} />
        {ways.password_reset && !usesKey && (
          <a href="/forgot-password" className="link justify-self-center text-sm">
            Forgot password?
          </a>
        )}
        <Button kind="quiet" onClick={() => setChosen(usesKey ? 'password' : 'key')}>
          {usesKey ? 'Use a password' : 'Use an API key'}
        </Button>
      </div>
    </div>
  )
}
