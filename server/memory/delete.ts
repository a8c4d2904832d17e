import type { Context } from '../context.ts'
import { entryNotFound, writeMemory, type PathOwner } from './owner.ts'
import { deleteEntry as deleteRow } from './store.ts'

const action = 'delete memory entry'

export async function deleteEntry(ctx: Context, owner: PathOwner, id: string): Promise<void> {
  const isDeleted = await writeMemory(ctx, action, owner, (transaction) =>
    deleteRow(transaction, ctx.accountId, owner, id, { unlessPinned: false }),
  )
  if (!isDeleted) throw entryNotFound(action, id)
}
