import { jwtVerify, type JWTVerifyGetKey } from 'jose'
import { DomainError } from '../../errors.ts'
import type { LoggedOut } from './claims.ts'

const event = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * Checks a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6). Repeating one has no further
 * effect.
 */
export async function readLogoutToken(
  token: string,
  { issuer, clientId, keys }: { issuer: string; clientId: string; keys: JWTVerifyGetKey },
): Promise<LoggedOut> {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    requiredClaims: ['jti', 'events'],
    maxTokenAge: '5m',
    clockTolerance: 30,
  }).catch((cause: unknown) => {
    throw refused(cause instanceof Error ? cause.message : String(cause), cause)
  })
  const { sub: subject, sid, events, nonce } = payload
  const { typ = 'logout+jwt' } = protectedHeader
  if (!['jwt', 'logout+jwt'].includes(typ.toLowerCase())) throw refused(`its type is ${typ}`)
  if (typeof events !== 'object' || events === null || !(event in events)) {
    throw refused(`"events" has no ${event}`)
  }
  if (nonce !== undefined) throw refused('it has a nonce, as an ID token does')
  if (sid !== undefined && typeof sid !== 'string') throw refused('"sid" is not a text')
  if (subject === undefined && sid === undefined) throw refused('it has neither "sub" nor "sid"')
  return { issuer, subject, sid }
}

function refused(why: string, cause?: unknown): DomainError {
  return new DomainError('invalid_request', `Cannot sign out: the logout token: ${why}`, {
    param: 'logout_token',
    cause,
  })
}
