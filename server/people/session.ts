import { recordAudit } from '../audit/record.ts'
import type { AuditWord } from '../audit/words.ts'
import type { Transaction } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Role } from '../identity.ts'
import { hashToken, makeToken } from '../accounts/credentials.ts'
import { insertSession } from './session-store.ts'
import { listMemberships, type User } from './user-store.ts'

/**
 * People sign in with a password or through the organisation's provider (`sign-in.ts`,
 * `sign-in-oidc.ts`), or accept an invitation or a setup link. Each way ends here, with a session:
 * its token is only in the browser's cookie, the database has a hash. A person has a role in each
 * account and can switch between accounts. The requests of a session are authenticated in
 * `accounts/authenticate.ts`; API keys are not part of this room.
 */

/** The browser of a session, and its request. */
export interface Browser {
  address: string | null
  userAgent: string | null
  requestId: string | null
}

/** A new session; the token is only put into the cookie. */
export interface SignedIn {
  token: string
  sessionId: string
  userId: string
  accountId: string
}

/** Why a session starts, if not only because of a sign-in. */
interface Beginning {
  accountId?: string
  /** The audit's action, and its object. */
  action?: AuditWord
  objectId?: string
  /** Accounts that the user joined with this sign-in. */
  joins?: readonly Join[]
  change?: UserChange
  /** Id of the session at the provider. */
  oidcSid?: string
}

/** A change of the user by a sign-in at the provider. */
export interface UserChange {
  before?: object
  after: object
}

/** A user who joined an account. */
export interface Join {
  accountId: string
  role: Role
  action: 'user.created' | 'invitation.accepted'
  /** The user or the invitation. */
  objectId: string
}

/** Starts a session in the requested account, or else in the first one of the user. */
export async function beginSession(
  transaction: Transaction,
  { id: userId, name }: Pick<User, 'id' | 'name'>,
  browser: Browser,
  { accountId: wantedAccountId, action, objectId, joins = [], change, oidcSid }: Beginning = {},
): Promise<SignedIn> {
  const memberships = await listMemberships(transaction, userId, { keep: true })
  const accountId = wantedAccountId ?? memberships[0]?.id
  if (accountId === undefined) {
    throw new DomainError('no_account', 'Cannot sign in: the user no longer belongs to any account')
  }
  const token = makeToken()
  const sessionId = newId('ses')
  const { address, requestId } = browser
  const userAgent = browser.userAgent?.slice(0, 300) ?? null
  const tokenHash = hashToken(token)
  const session = { id: sessionId, userId, accountId, tokenHash, address, userAgent }
  await insertSession(transaction, { ...session, oidcSid: oidcSid ?? null })
  const audit = {
    id: newId('aud'),
    actor: { type: 'user', id: userId, name, sessionId } as const,
    action: action ?? 'session.created',
    address,
    requestId,
  }
  const after = { session_id: sessionId, user_agent: userAgent }
  await recordAudit(transaction, { accountId, audit }, { objectId: objectId ?? sessionId, after })
  if (change !== undefined) {
    const origin = { ...audit, id: newId('aud'), action: 'user.updated' } as const
    await recordAudit(transaction, { accountId, audit: origin }, { objectId: userId, ...change })
  }
  for (const { accountId: joined, action: word, objectId: id, role } of joins) {
    const origin = { ...audit, id: newId('aud'), action: word }
    const change = { objectId: id, after: { user_id: userId, role } }
    await recordAudit(transaction, { accountId: joined, audit: origin }, change)
  }
  return { token, sessionId, userId, accountId }
}
