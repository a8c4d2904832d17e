import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { webhookNotFound } from './retrieve.ts'
import { deleteEndpoint, switchOff } from './store.ts'
import { toAudited } from './to-audited.ts'

/** Deletes an endpoint and its history; nothing more is sent to it. */
export async function deleteWebhook(ctx: Context, id: string): Promise<void> {
  await switchOff(ctx.database, ctx.accountId, id)
  await ctx.database.transaction().execute(async (transaction) => {
    const deleted = await deleteEndpoint(transaction, ctx.accountId, id)
    if (deleted === undefined) throw webhookNotFound('delete webhook', id)
    await recordAudit(transaction, ctx, { objectId: id, before: toAudited(deleted) })
  })
}
