import type { Transaction } from '../db/client.ts'
import type { Role } from '../roles.ts'
import { withdrawInvitations } from './link-store.ts'
import { endSessions } from './session-store.ts'
import {
  deleteMembership,
  listMemberships,
  putMembership,
  unlinkSubject,
  type User,
} from './user-store.ts'

/**
 * Gives a person another role in an account, or takes them out of it. What goes back to before ends with it: their
 * sessions, and open invitations to their address, which would give them a role again. Invitations come first, as for
 * those who accept one. A person who belongs to no account any more loses their identity at the provider, so that the
 * address can come back with another one. Answers what the audit tells of these.
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
    if ((await listMemberships(transaction, id)).length === 0) await unlinkSubject(transaction, id)
  } else {
    await putMembership(transaction, accountId, id, role)
    await endSessions(transaction, id, { accountId })
  }
  return invitations.length === 0 ? {} : { invitations }
}
