import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { agentNotFound } from './retrieve.ts'
import * as store from './store.ts'

/** Deletes an agent and its memory. Crews that name it keep their entries and run from these. */
export async function deleteAgent(ctx: Context, id: string): Promise<void> {
  await ctx.database.transaction().execute(async (transaction) => {
    const agent = await store.lockAgent(transaction, ctx.accountId, id)
    if (agent === undefined) throw agentNotFound('delete agent', id)
    await store.deleteAgent(transaction, ctx.accountId, id)
    await recordAudit(transaction, ctx, { objectId: id, before: agent })
  })
}
