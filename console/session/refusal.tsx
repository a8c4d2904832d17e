import type { ReactNode } from 'react'
import { buttonLook } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { oidcLink, pathToGoOn } from './oidc-link.ts'

/** Why a sign-in through the organisation's provider failed, and what to do next. */
export function Refusal({ code, reason }: { code: string; reason: string | null }): ReactNode {
  const isRefused = code === 'sign_in_refused'
  const link = oidcLink('/v1/session/oidc', pathToGoOn(), { asksWho: isRefused })
  return (
    <div className="mb-4 grid gap-3">
      <Failure error={words[reason ?? code] ?? `Sign-in did not work (${code}).`} />
      <a href={link} className={buttonLook()}>
        {isRefused ? 'Use another account' : 'Try again'}
      </a>
    </div>
  )
}

const words: Record<string, string> = {
  email_not_verified:
    'Your organisation’s provider has not verified your email address. Ask its administrators to verify it.',
  domain_not_allowed: 'The domain of your email address is not allowed here.',
  not_invited: 'You have no invitation. Ask an admin to invite you.',
  other_identity:
    'Your email address belongs to a user with another identity at the provider. Ask an admin to unlink it on the People page.',
  sign_in_refused: 'You may not sign in here. Ask an admin.',
  sign_in_failed: 'Your organisation’s provider did not confirm the sign-in, or it took too long.',
  identity_provider_unavailable:
    'Your organisation’s provider cannot be reached. Try again in a moment; if it lasts, ask an admin.',
  rate_limited: 'Too many attempts. Wait a minute and try again.',
  database_unavailable: 'The service cannot reach its database. Try again in a moment.',
}
