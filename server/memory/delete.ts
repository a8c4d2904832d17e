import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { entryNotFound, writeMemory, type PathOwner } from './owner.ts'
import * as store from './store.ts'

const action = 'delete memory entry'

export async function deleteEntry(ctx: Context, owner: PathOwner, id: string): Promise<void> {
  await writeMemory(ctx, action, owner, async (transaction) => {
    const entry = await store.findEntry(transaction, ctx.accountId, owner, id)
    if (entry === undefined) throw entryNotFound(action, id)
    await store.deleteEntry(transaction, ctx.accountId, owner, id, { unlessPinned: false })
    await recordAudit(transaction, ctx, { objectId: id, before: entry })
  })
}
