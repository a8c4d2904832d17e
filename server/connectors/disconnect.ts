import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { toAudited } from './to-audited.ts'
import { deleteStored } from './store.ts'
import { notConnected } from './test-connector.ts'

/** Removes credentials or MCP server; agents keep their capabilities, which then do nothing. */
export async function disconnectConnector(ctx: Context, id: string): Promise<void> {
  await ctx.database.transaction().execute(async (transaction) => {
    const stored = await deleteStored(transaction, ctx.accountId, id)
    if (stored === undefined) throw notConnected('disconnect', id)
    await recordAudit(transaction, ctx, { objectId: id, before: toAudited(stored) })
  })
}
