import type { Services } from '../context.ts'
import { eraseBatch, listDeleted } from './erase-store.ts'

/**
 * One piece of the deletion that was asked for first, of those that wait for nobody; true when there is more to
 * do at once.
 */
export async function eraseAccounts(
  { database, log }: Pick<Services, 'database' | 'log'>,
  settleMs: number,
): Promise<boolean> {
  for (const accountId of await listDeleted(database)) {
    const done = await eraseBatch(database, accountId, settleMs)
    if (done === 'gone') log.info({ accountId }, 'account deleted')
    if (done !== 'waiting') return true
  }
  return false
}
