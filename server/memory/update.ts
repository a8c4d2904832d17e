import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { entryNotFound, writeMemory, type PathOwner } from './owner.ts'
import type { MemoryEntry, UpdateMemory } from './schema.ts'
import * as store from './store.ts'

const action = 'update memory entry'

/** Changes the given fields. */
export async function updateEntry(
  ctx: Context,
  owner: PathOwner,
  id: string,
  input: UpdateMemory,
): Promise<MemoryEntry> {
  return writeMemory(ctx, action, owner, async (transaction) => {
    const before = await store.findEntry(transaction, ctx.accountId, owner, id)
    const after = await store.updateEntry(transaction, ctx.accountId, owner, id, input)
    if (before === undefined || after === undefined) throw entryNotFound(action, id)
    await recordAudit(transaction, ctx, { objectId: id, before, after })
    return after
  })
}
