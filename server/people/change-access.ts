import type { Transaction } from '../db/client.ts'
import type { Role } from '../identity.ts'
import { withdrawInvitations } from './link-store.ts'
import { forgetLogins } from '../connectors/oauth/logins.ts'
import { endSessions } from './session-store.ts'
import {
  deleteMembership,
  listMemberships,
  putMembership,
  unlinkSubject,
  type User,
} from './user-store.ts'

/**
 * Changes a user's role in an account, or removes them from it. This also ends what could restore
 * the old access: their sessions, and open invitations to their address. Invitations are locked
 * first, in the same order as when one is accepted. A user without any account left is unlinked
 * from the OIDC provider, so that the address can return with another identity. Returns what to
 * audit.
 */
export async function changeAccess(
  transaction: Transaction,
  accountId: string,
  { id, email }: Pick<User, 'id' | 'email'>,
  role: Role | null,
): Promise<{ invitations?: string[] }> {
  const invitations = await withdrawInvitations(transaction, accountId, email)
  if (role === null) {
    await deleteMembership(transaction, accountId, id)
    await forgetLogins(transaction, accountId, id)
    if ((await listMemberships(transaction, id)).length === 0) await unlinkSubject(transaction, id)
  } else {
    await putMembership(transaction, accountId, id, role)
    await endSessions(transaction, id, { accountId, keepsGrants: true })
  }
  return invitations.length === 0 ? {} : { invitations }
}
