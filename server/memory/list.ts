import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import { checkOwner } from './owner.ts'
import type { MemoryEntry } from './schema.ts'
import { maxEntriesPerScope, type MemoryOwner } from './scope.ts'
import { searchEntries } from './search.ts'
import { listEntries as readEntries } from './store.ts'

const action = 'list memory'

/**
 * Newest first, 200 where no limit is given. With `q`: those that share a word with it, best match
 * first, in one page.
 */
export async function listEntries(
  ctx: Context,
  owner: MemoryOwner,
  { q, after, ...page }: PageRequest & { q: string | undefined },
): Promise<Page<MemoryEntry>> {
  await checkOwner(ctx, action, owner)
  const limit = page.limit ?? maxEntriesPerScope
  if (q === undefined) {
    const rows = await readEntries(ctx.reads, ctx.accountId, owner, { limit: limit + 1, after })
    return toPage(rows, limit, (row) => row.created_at)
  }
  if (after !== undefined) {
    throw new DomainError(
      'invalid_cursor',
      `Cannot ${action}: after goes without q, whose matches are one page`,
      { param: 'after' },
    )
  }
  const items = await searchEntries(ctx, action, owner, q, limit)
  return { items, next: undefined }
}
