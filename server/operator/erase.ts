import type { Services } from '../context.ts'
import { eraseBatch, listDeleted, beginErasure } from './erase-store.ts'
import { changeAccount, type Operating } from './change.ts'
import * as store from './account-store.ts'
import type { OperatedAccount } from './schema.ts'

/**
 * Does one batch of the oldest deletion that is not waiting for another process; true if there is
 * more to do at once.
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

/**
 * Revokes all access and leaves the deletion to the background, which also continues after a crash.
 */
export function deleteAccount(operating: Operating, id: string): Promise<OperatedAccount> {
  return changeAccount(operating, id, async (transaction, before) => {
    await store.hold(transaction, id, 'deleted')
    await beginErasure(transaction, id)
    return (await store.findAccount(transaction, id)) ?? before
  })
}
