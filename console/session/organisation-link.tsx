import { useEffect, useState, type ReactNode } from 'react'
import type { WaysIn } from '../../sdk/generated.ts'
import { buttonLook } from '../ui/button.tsx'
import { createClient } from './client.ts'
import { oidcLink } from './oidc-link.ts'

/** The sign-in methods of this service; undefined until they are known. */
export function useWaysIn(): WaysIn | undefined {
  const [ways, setWays] = useState<WaysIn>()
  useEffect(() => {
    // If the request fails, the password form is shown; its submission reports the error.
    createClient(undefined)
      .session.retrieve()
      .then(setWays, () =>
        setWays({
          password: true,
          oidc: false,
          oidc_url: null,
          password_reset: false,
          setup_required: false,
        }),
      )
  }, [])
  return ways
}

/** The way through the organisation's provider, where the service has one. */
export function OrganisationLink({
  ways,
  returnTo,
}: {
  ways: WaysIn
  returnTo: string
}): ReactNode {
  if (ways.oidc_url === null) return null
  return (
    <a href={oidcLink(ways.oidc_url, returnTo)} className={buttonLook()}>
      Sign in with your organisation
    </a>
  )
}
