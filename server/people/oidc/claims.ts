import type { IDToken, UserInfoResponse } from 'openid-client'
import { isEmail, normalizeEmail } from '../../email-text.ts'
import type { OidcSettings } from './client.ts'

/** What the provider says of a user. */
export interface OidcClaims {
  issuer: string
  subject: string
  /** As addresses are compared; undefined unless the provider has verified it. */
  email: string | undefined
  name: string | undefined
}

/** Whom a provider signs out: one session there, or a person with all sessions. */
export interface LoggedOut {
  issuer: string
  subject: string | undefined
  sid: string | undefined
}

type Told = Pick<UserInfoResponse, 'email' | 'name'> & { email_verified?: unknown }

/**
 * The claims of an ID token and, where it was asked, of the userinfo endpoint. An address and whether it is verified
 * are of the same source. `isWhole` says that the userinfo endpoint has nothing to add.
 */
export function toClaims(
  { assumesVerifiedEmail }: Pick<OidcSettings, 'assumesVerifiedEmail'>,
  token: Told & Pick<IDToken, 'iss' | 'sub'>,
  told: Told = {},
): { claims: OidcClaims; isWhole: boolean } {
  const sources = [token, told].filter(({ email }) => typeof email === 'string')
  const judged = sources.find((one) => one.email_verified !== undefined)
  const { email = '', email_verified: verified } = judged ?? sources[0] ?? {}
  // Some providers send booleans as text.
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
