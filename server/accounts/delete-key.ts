import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import * as store from './store.ts'

/** Revokes a key; it fails from the next request on, on every process. */
export async function deleteKey(ctx: Context, id: string): Promise<void> {
  const outcome = await ctx.database
    .transaction()
    .execute((transaction) => store.deleteKey(transaction, ctx.accountId, id))
  if (outcome === 'absent') {
    throw new DomainError('not_found', `Cannot delete API key: no key ${id}`)
  }
  if (outcome === 'last-admin') {
    throw new DomainError(
      'last_admin_key',
      'Cannot delete API key: it is the last admin key of the account, create another first',
    )
  }
}
