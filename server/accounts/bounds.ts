import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { lockAccount } from './store.ts'
import { cannot } from '../errors.ts'

/* What keeps an account within its bounds: its lock, under which rows are counted, and the bytes of its lists. */

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

/** Limit for a list without pages, as JSON: it is in memory several times. */
export const maxListBytes = 8 * 1024 * 1024

/** Throws if a change makes the account's list of `what` too large. */
export async function checkListBytes(
  ctx: Pick<Context, 'accountId' | 'action'>,
  transaction: Transaction,
  what: string,
  table: { countBytes: (transaction: Transaction, accountId: string) => Promise<number> },
): Promise<void> {
  const bytes = await table.countBytes(transaction, ctx.accountId)
  if (bytes <= maxListBytes) return
  const why = `${bytes} bytes of JSON together, at most ${maxListBytes}`
  throw cannot(ctx, 'too_many_bytes', `the account's ${what} would have ${why}`)
}

/** Whether a change makes a resource larger; others are always allowed. */
export function isLarger(changed: object, current: object): boolean {
  return Buffer.byteLength(JSON.stringify(changed)) > Buffer.byteLength(JSON.stringify(current))
}
