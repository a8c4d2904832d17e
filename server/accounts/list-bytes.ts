import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { cannot } from '../errors.ts'

/** Limit for a list without pages, as JSON: it is in memory several times. */
export const maxListBytes = 8 * 1024 * 1024

/** Throws if a change makes the account's list of `what` too large. */
export async function checkListBytes(
  ctx: Context,
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
