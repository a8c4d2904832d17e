import type { Transaction } from '../db/client.ts'
import { allows, type Role } from '../roles.ts'
import { findMember, putMembership } from './user-store.ts'

/** Takes a person into an account. An invitation, which may be old, takes no rights from somebody who is in it. */
export async function joinAccount(
  transaction: Transaction,
  accountId: string,
  userId: string,
  role: Role,
): Promise<void> {
  const member = await findMember(transaction, accountId, userId)
  if (member !== undefined && allows(member.role, role)) return
  await putMembership(transaction, accountId, userId, role)
}
