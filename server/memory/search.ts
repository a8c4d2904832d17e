import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import type { MemoryEntry, MemoryOwner } from './schema.ts'
import { limitStatements, searchEntries as findEntries } from './store.ts'

/** Several times what the largest memory takes. */
const maxMs = 2_000

/** Entries that share a word with the text, best match first. */
export async function searchEntries(
  ctx: Context,
  owner: MemoryOwner,
  text: string,
  limit: number,
): Promise<MemoryEntry[]> {
  const { accountId } = ctx
  using _slot = ctx.limits.memorySearches.takeNow(accountId, ctx.action)
  try {
    return await ctx.reads.transaction().execute(async (transaction) => {
      await limitStatements(transaction, maxMs)
      return findEntries(transaction, accountId, owner, text, limit)
    })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '57014')) throw error
    const why = `the search took longer than ${maxMs / 1_000} seconds`
    throw cannot(ctx, 'too_busy', why, { retryAfterSeconds: 2, cause: error })
  }
}
