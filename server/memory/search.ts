import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { Tally } from '../slots.ts'
import type { MemoryEntry, MemoryOwner } from './schema.ts'
import { limitStatements, searchEntries as findEntries } from './store.ts'

/** Limit of parallel searches in a process, which leaves database connections and CPU to others. */
const maxPerAccount = 2
/** Several times what the largest memory takes. */
const maxMs = 2_000

const underway = new Tally()

/** Entries that share a word with the text, best match first. */
export async function searchEntries(
  ctx: Context,
  owner: MemoryOwner,
  text: string,
  limit: number,
): Promise<MemoryEntry[]> {
  const { accountId } = ctx
  const count = underway.of(accountId)
  if (count >= maxPerAccount) {
    const why = `the account has ${count} searches under way, at most ${maxPerAccount}`
    throw cannot(ctx, 'rate_limited', why, { retryAfterSeconds: 1 })
  }
  underway.add(accountId, 1)
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
    underway.add(accountId, -1)
  }
}
