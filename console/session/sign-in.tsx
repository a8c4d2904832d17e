import { useEffect, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { Mark } from '../ui/mark.tsx'
import { pathToGoOn } from './oidc-link.ts'
import { LinkForm } from './link-form.tsx'
import { ForgotForm, ResetForm } from './reset-forms.tsx'
import type { Enter } from './session.tsx'
import { Refusal } from './refusal.tsx'
import { Ways } from './ways.tsx'

interface Props {
  enter: Enter
  /** Why the identity could not be loaded. */
  error: unknown
  retry: () => void
}

/** The page for visitors who are not signed in, and for one-time links. */
export function SignIn({ enter, error, retry }: Props): ReactNode {
  const { kind, title, about } = whatFor()
  useEffect(() => {
    document.title = `${title} · Muster`
  }, [title])
  const search = new URLSearchParams(location.search)
  const refused = search.get('error')
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="w-full max-w-sm">
        <Mark className="mb-6 size-10" />
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        <p className="mt-1 mb-6 text-ink-soft">{about}</p>
        {refused !== null && <Refusal code={refused} reason={search.get('reason')} />}
        {error !== undefined ? (
          <div className="grid gap-4">
            <Failure error={error} />
            <div>
              <Button kind="primary" onClick={retry}>
                Try again
              </Button>
            </div>
          </div>
        ) : kind === 'sign-in' ? (
          <Ways enter={enterHere(enter)} />
        ) : kind === 'forgot' ? (
          <ForgotForm />
        ) : kind === 'reset' ? (
          <ResetForm token={location.hash.slice(1)} enter={enter} />
        ) : (
          <LinkForm kind={kind} token={location.hash.slice(1)} enter={enter} />
        )}
      </div>
    </main>
  )
}

/** From the sign-in page to the home screen; elsewhere the page stays. */
function enterHere(enter: Enter): Enter {
  return async (way) => {
    if (location.pathname === '/sign-in') history.replaceState(null, '', pathToGoOn())
    await enter(way)
  }
}

/** Whether the URL is a one-time link, which takes precedence over the current session. */
export function isLink(): boolean {
  return whatFor().kind !== 'sign-in'
}

interface Purpose {
  kind: 'setup' | 'invitation' | 'forgot' | 'reset' | 'sign-in'
  title: string
  about: string
}

function whatFor(): Purpose {
  switch (location.pathname) {
    case '/setup':
      return {
        kind: 'setup',
        title: 'Welcome to Muster',
        about: 'Create the admin account of this service.',
      }
    case '/accept-invitation':
      return { kind: 'invitation', title: 'You are invited', about: 'Choose how you sign in.' }
    case '/forgot-password':
      return {
        kind: 'forgot',
        title: 'Reset your password',
        about: 'Get a link by email that sets a new password.',
      }
    case '/reset-password':
      return {
        kind: 'reset',
        title: 'Choose a new password',
        about: 'You are signed out everywhere else.',
      }
    default:
      return {
        kind: 'sign-in',
        title: 'Sign in to Muster',
        about: 'See what runs, answer what waits.',
      }
  }
}
