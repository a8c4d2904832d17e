import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { cannot } from '../errors.ts'

/** Most bytes of JSON that a list without pages may have: it is in memory whole, several times over. */
export const maxListBytes = 8 * 1024 * 1024

/** Refuses a change after which the account's list of `what` is larger. */
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

/** Whether a change makes a resource larger; one that does not is never refused. */
export function isLarger(changed: object, current: object): boolean {
  return Buffer.byteLength(JSON.stringify(changed)) > Buffer.byteLength(JSON.stringify(current))
}
