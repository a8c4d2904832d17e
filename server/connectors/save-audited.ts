import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import * as store from './store.ts'
import { toAudited } from './to-audited.ts'

/**
 * Inserts or replaces a connector and tells the audit; new credentials count as a change, though nothing
 * of them is told. False when the account, which must be locked, has as many as it may have.
 */
export async function saveAudited(
  transaction: Transaction,
  ctx: Context,
  connector: store.StoredConnector,
): Promise<boolean> {
  const { id } = connector
  const before = await store.findStored(transaction, ctx.accountId, id)
  if (!(await store.saveConnector(transaction, ctx.accountId, connector))) return false
  const after = { ...toAudited(connector), credentials_replaced: before !== undefined }
  await recordAudit(transaction, ctx, {
    objectId: id,
    ...(before === undefined
      ? {}
      : { before: { ...toAudited(before), credentials_replaced: false } }),
    after,
  })
  return true
}
