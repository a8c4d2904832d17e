import type { Transaction } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import { hashToken, makeToken } from './one-time-token.ts'
import { insertSession } from './session-store.ts'
import { listMemberships } from './user-store.ts'

/** The browser that a session is for, as the list of sessions shows it. */
export interface Browser {
  address: string | null
  userAgent: string | null
}

/** A session that began; the token goes into the cookie and nowhere else. */
export interface SignedIn {
  token: string
  sessionId: string
  userId: string
  accountId: string
}

/** Begins a session in the account that is asked for, else in the first that the user belongs to. */
export async function beginSession(
  transaction: Transaction,
  userId: string,
  browser: Browser,
  wantedAccountId?: string,
): Promise<SignedIn> {
  const memberships = await listMemberships(transaction, userId)
  const accountId = wantedAccountId ?? memberships[0]?.account_id
  if (accountId === undefined) {
    throw new DomainError('no_account', 'Cannot sign in: the user belongs to no account any more')
  }
  const token = makeToken()
  const sessionId = newId('ses')
  await insertSession(transaction, {
    id: sessionId,
    userId,
    accountId,
    tokenHash: hashToken(token),
    address: browser.address,
    userAgent: browser.userAgent?.slice(0, 300) ?? null,
  })
  return { token, sessionId, userId, accountId }
}
