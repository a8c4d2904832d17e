import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import type { MemoryEntry } from './schema.ts'
import type { MemoryOwner } from './scope.ts'
import { limitStatements, searchEntries as findEntries } from './store.ts'

/** At once in a process, so that the connections and processors of the database are left to others. */
const maxPerAccount = 2
/** Several times what the largest memory takes. */
const maxMs = 2_000

const underway = new Map<string, number>()

/** Entries that share a word with the text, best match first. */
export async function searchEntries(
  ctx: Context,
  owner: MemoryOwner,
  text: string,
  limit: number,
): Promise<MemoryEntry[]> {
  const { accountId } = ctx
  const count = underway.get(accountId) ?? 0
  if (count >= maxPerAccount) {
    const why = `the account has ${count} searches under way, at most ${maxPerAccount}`
    throw cannot(ctx, 'rate_limited', why, { retryAfterSeconds: 1 })
  }
  underway.set(accountId, count + 1)
  try {
    return await ctx.reads.transaction().execute(async (transaction) => {
      await limitStatements(transaction, maxMs)
      return findEntries(transaction, accountId, owner, text, limit)
    })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '57014')) throw error
    const why = `the search took longer than ${maxMs / 1_000} seconds`
    throw cannot(ctx, 'database_unavailable', why, { retryAfterSeconds: 2, cause: error })
  } finally {
    const left = (underway.get(accountId) ?? 0) - 1
    if (left > 0) underway.set(accountId, left)
    else underway.delete(accountId)
  }
}
