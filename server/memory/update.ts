import type { Context } from '../context.ts'
import { entryNotFound, writeMemory, type PathOwner } from './owner.ts'
import type { MemoryEntry, UpdateMemory } from './schema.ts'
import { updateEntry as updateRow } from './store.ts'

const action = 'update memory entry'

/** Changes the given fields. */
export async function updateEntry(
  ctx: Context,
  owner: PathOwner,
  id: string,
  input: UpdateMemory,
): Promise<MemoryEntry> {
  const entry = await writeMemory(ctx, action, owner, (transaction) =>
    updateRow(transaction, ctx.accountId, owner, id, input),
  )
  if (entry === undefined) throw entryNotFound(action, id)
  return entry
}
