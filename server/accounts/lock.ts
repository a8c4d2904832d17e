import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { lockAccount } from './store.ts'

/**
 * Locks an account until the transaction ends, so that concurrent inserts wait for each other and
 * the account's limits hold. Must be locked before any of its resources. False if the account does
 * not exist or is being deleted.
 */
export { lockAccount }

/** Runs a transaction under that lock. */
export function whileLocked<T>(
  { database, accountId }: Pick<Context, 'database' | 'accountId'>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database.transaction().execute(async (transaction) => {
    await lockAccount(transaction, accountId)
    return work(transaction)
  })
}
