import { setSessionCookie } from '../http/session-cookie.ts'
import type { Call } from '../http/operation.ts'
import { readMe } from './me.ts'
import type { Me } from './schema.ts'
import { sessionDays } from './session-store.ts'
import type { Browser, SignedIn } from './session.ts'

type Visit = Pick<Call, 'request' | 'reply' | 'services'>

/** Sets the cookie of the new session. */
export function keepSignedIn(
  { request, reply, services }: Visit,
  { token }: SignedIn,
  idToken?: string,
): void {
  const cookie = { publicUrl: services.publicUrl, maxAge: sessionDays * 86_400 }
  setSessionCookie(request, reply, token, { ...cookie, ...(idToken !== undefined && { idToken }) })
}

/** The same, and returns the user's own profile. */
export async function admit(visit: Visit, signedIn: SignedIn): Promise<Me> {
  keepSignedIn(visit, signedIn)
  const { accountId, userId, sessionId } = signedIn
  return readMe({ database: visit.services.database, accountId }, userId, sessionId)
}

export function browserOf({ request }: Pick<Call, 'request'>): Browser {
  return {
    address: request.ip,
    userAgent: request.headers['user-agent'] ?? null,
    requestId: request.id,
  }
}
