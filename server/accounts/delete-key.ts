import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { lockAccount } from './lock.ts'
import { recordAudit } from './record-audit.ts'
import * as store from './store.ts'

/** Revokes a key; it fails from the next request on, on every process. */
export async function deleteKey(ctx: Context, id: string): Promise<void> {
  const outcome = await ctx.database.transaction().execute(async (transaction) => {
    // Two admins cannot revoke each other's keys at once.
    await lockAccount(transaction, ctx.accountId)
    const deleted = await store.deleteKey(transaction, ctx.accountId, id)
    if (typeof deleted === 'string') return deleted
    await recordAudit(transaction, ctx, { objectId: id, before: deleted })
    return 'deleted'
  })
  if (outcome === 'absent') {
    throw new DomainError('not_found', `Cannot delete API key: no key ${id}`)
  }
  if (outcome === 'last-admin') {
    throw new DomainError(
      'last_admin_key',
      'Cannot delete API key: the account would be left without an admin key that never expires, create one first',
    )
  }
}
