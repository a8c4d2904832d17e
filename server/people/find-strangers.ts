import type { Database } from '../db/client.ts'
import { findMembers } from './user-store.ts'

/** Those of the ids that are not people of the account. */
export async function findStrangers(
  database: Database,
  accountId: string,
  userIds: string[],
): Promise<string[]> {
  if (userIds.length === 0) return []
  const members = await findMembers(database, accountId, userIds)
  return userIds.filter((id) => !members.includes(id))
}
