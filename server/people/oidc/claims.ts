import type { IDToken, UserInfoResponse } from 'openid-client'
import { isEmail, normalizeEmail } from '../../email-text.ts'
import type { OidcSettings } from './client.ts'

/** The provider's claims about a user. */
export interface OidcClaims {
  issuer: string
  subject: string
  /** Normalized for comparison; undefined unless the provider has verified it. */
  email: string | undefined
  name: string | undefined
}

/** What to sign out: one session at the provider, or all sessions of a user. */
export interface LoggedOut {
  issuer: string
  subject: string | undefined
  sid: string | undefined
}

/** Clocks of provider and service may differ by this much. */
const skewSeconds = 300

/** Why a signed ID token is no proof of this sign-in; undefined if it is one. */
export function refuseToken(
  { azp, sub, iat }: Pick<IDToken, 'azp' | 'sub' | 'iat'>,
  clientId: string,
  nowMs: number,
): string | undefined {
  if (azp !== undefined && azp !== clientId) return 'the ID token was made for another client (azp)'
  if (sub.trim() === '') return 'the ID token names no person (sub is empty)'
  if (iat > nowMs / 1_000 + skewSeconds) return 'the ID token is from the future (iat)'
  return undefined
}

type Told = Pick<UserInfoResponse, 'email' | 'name'> & { email_verified?: unknown }

/**
 * The claims of an ID token and, if it was called, of the userinfo endpoint. An address and its
 * verification come from the same source. `isWhole`: the userinfo endpoint has nothing to add.
 */
export function toClaims(
  { assumesVerifiedEmail }: Pick<OidcSettings, 'assumesVerifiedEmail'>,
  token: Told & Pick<IDToken, 'iss' | 'sub'>,
  told: Told = {},
): { claims: OidcClaims; isWhole: boolean } {
  const sources = [token, told].filter(({ email }) => typeof email === 'string')
  const judged = sources.find((one) => one.email_verified !== undefined)
  const { email = '', email_verified: verified } = judged ?? sources[0] ?? {}
  // Some providers send booleans as strings.
  const isVerified =
    verified === undefined ? assumesVerifiedEmail : verified === true || verified === 'true'
  const name = [token.name, told.name].find((one) => typeof one === 'string')
  const address = normalizeEmail(email)
  return {
    claims: {
      issuer: token.iss,
      subject: token.sub,
      email: isVerified && isEmail(address) ? address : undefined,
      name,
    },
    isWhole: judged !== undefined && name !== undefined,
  }
}
