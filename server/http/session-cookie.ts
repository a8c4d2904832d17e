import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../errors.ts'

/** The cookies of people, and what a request with one must show. */
export const sessionCookie = 'muster_session'
const oidcCookie = 'muster_sign_in'
const oidcPath = '/v1/session/oidc'

export function setSessionCookie(
  reply: FastifyReply,
  token: string,
  { publicUrl, maxAge }: { publicUrl: string; maxAge: number },
): void {
  reply.setCookie(sessionCookie, token, { ...options(publicUrl), path: '/', maxAge })
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.clearCookie(sessionCookie, { path: '/' })
}

/** What a sign-in at the provider brings back. */
export function setOidcCookie(
  reply: FastifyReply,
  flow: string,
  { publicUrl, maxAge }: { publicUrl: string; maxAge: number },
): void {
  reply.setCookie(oidcCookie, flow, { ...options(publicUrl), path: oidcPath, maxAge })
}

export function takeOidcCookie(request: FastifyRequest, reply: FastifyReply): string | undefined {
  reply.clearCookie(oidcCookie, { path: oidcPath })
  return request.cookies[oidcCookie]
}

function options(publicUrl: string): { httpOnly: true; sameSite: 'lax'; secure: boolean } {
  return { httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:') }
}

/**
 * A change that a cookie authorizes must come from a page of this service: browsers say where a request
 * comes from, and a page elsewhere cannot say otherwise.
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
