import type { Services } from '../context.ts'
import { eraseBatch, findDeleted } from './erase-store.ts'

/** One piece of the deletion that was asked for first; true when there is more to do at once. */
export async function eraseAccounts(
  { database, log }: Pick<Services, 'database' | 'log'>,
  settleMs: number,
): Promise<boolean> {
  const accountId = await findDeleted(database)
  if (accountId === undefined) return false
  const done = await eraseBatch(database, accountId, settleMs)
  if (done === 'gone') log.info({ accountId }, 'account deleted')
  return done !== 'waiting'
}
