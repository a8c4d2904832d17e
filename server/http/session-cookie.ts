import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../errors.ts'

/** Cookies of sign-ins and sessions, and the origin check of requests with them. */
export const sessionCookie = 'muster_session'
/**
 * Sent only with requests that start or end a session; tells at which provider this browser signed
 * in.
 */
const idTokenCookie = 'muster_id_token'
const signOutPath = '/v1/session'
/** Browsers store cookies of up to 4 KB. */
const maxIdTokenLength = 3_500
const noIdToken = 'none'
const oidcCookie = 'muster_sign_in_'
const oidcPath = '/v1/session/oidc'
/** Limit for all sign-ins in progress of a browser; the headers of a request may have 16 KB. */
const maxOidcBytes = 6 * 1024

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  { publicUrl, maxAge, idToken }: { publicUrl: string; maxAge: number; idToken?: string },
): void {
  reply.setCookie(sessionCookie, token, { ...options(publicUrl), path: '/', maxAge })
  if (idToken === undefined) takeIdToken(request, reply)
  else {
    const shown = idToken.length > maxIdTokenLength ? noIdToken : idToken
    reply.setCookie(idTokenCookie, shown, { ...options(publicUrl), path: signOutPath, maxAge })
  }
}

/**
 * Returns the ID token of a session that began at the provider; '' if it was too long for a cookie.
 */
export function clearSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
): string | undefined {
  reply.clearCookie(sessionCookie, { path: '/' })
  const idToken = takeIdToken(request, reply)
  return idToken === noIdToken ? '' : idToken
}

function takeIdToken({ cookies }: FastifyRequest, reply: FastifyReply): string | undefined {
  const idToken = cookies[idTokenCookie]
  if (idToken !== undefined) reply.clearCookie(idTokenCookie, { path: signOutPath })
  return idToken
}

/**
 * Stores what the redirect from the provider is checked against; one cookie per sign-in, so that
 * tabs do not interfere.
 */
export function setOidcCookie(
  { cookies }: FastifyRequest,
  reply: FastifyReply,
  { state, cookie }: { state: string; cookie: string },
  { publicUrl, maxAge }: { publicUrl: string; maxAge: number },
): void {
  let bytes = cookie.length
  // Browsers send the oldest first.
  for (const [name, value = ''] of Object.entries(cookies).toReversed()) {
    if (!name.startsWith(oidcCookie)) continue
    bytes += value.length
    if (bytes > maxOidcBytes) reply.clearCookie(name, { path: oidcPath })
  }
  reply.setCookie(oidcCookie + state, cookie, { ...options(publicUrl), path: oidcPath, maxAge })
}

/** Reads and clears the cookie of the sign-in with this state; other sign-ins keep theirs. */
export function takeOidcCookie(
  { cookies }: FastifyRequest,
  reply: FastifyReply,
  state: string,
): string | undefined {
  const name = oidcCookie + state
  const cookie = cookies[name]
  if (cookie !== undefined) reply.clearCookie(name, { path: oidcPath })
  return cookie
}

function options(publicUrl: string): { httpOnly: true; sameSite: 'lax'; secure: boolean } {
  return { httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:') }
}

/**
 * A mutation that a cookie authorizes must come from a page of this service: browsers send the
 * page's origin, and pages cannot forge it.
 */
export function refuseOtherOrigins(
  { headers, method }: FastifyRequest,
  publicUrl: string,
  action: string,
): void {
  if (method === 'GET' || method === 'HEAD') return
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  const from = typeof origin === 'string' ? URL.parse(origin) : null
  const isOurs =
    from !== null && (from.host === host || from.origin === URL.parse(publicUrl)?.origin)
  if (isOurs && (site === undefined || site === 'same-origin')) return
  throw new DomainError(
    'cross_origin',
    `Cannot ${action}: a change with a session must come from the service's own pages`,
  )
}
