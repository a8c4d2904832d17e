import type { Context } from '../context.ts'
import { checkOwner, entryNotFound, type PathOwner } from './owner.ts'
import type { MemoryEntry } from './schema.ts'
import { findEntry } from './store.ts'

const action = 'retrieve memory entry'

export async function retrieveEntry(
  ctx: Context,
  owner: PathOwner,
  id: string,
): Promise<MemoryEntry> {
  await checkOwner(ctx, action, owner)
  const entry = await findEntry(ctx.database, ctx.accountId, owner, id)
  if (entry === undefined) throw entryNotFound(action, id)
  return entry
}
