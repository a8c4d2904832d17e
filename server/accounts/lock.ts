import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { lockAccount } from './store.ts'

/**
 * Locks an account until the transaction ends: those who add at once wait for each other, so that the
 * bounds of an account hold. Comes before the lock of any of its resources. False without such an account, and
 * for one that is being deleted.
 */
export { lockAccount }

/** A transaction under that lock. */
export function whileLocked<T>(
  { database, accountId }: Pick<Context, 'database' | 'accountId'>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database.transaction().execute(async (transaction) => {
    await lockAccount(transaction, accountId)
    return work(transaction)
  })
}
