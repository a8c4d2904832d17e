import { Batcher, defaults, tooMany, type Gatherer, type Limits } from '../batcher.ts'
import { codeOf } from '../outage.ts'
import type { Cluster } from './dialect.ts'
import { notInOneShard } from './run-on-shard.ts'

/**
 * Batches on a cluster: a statement runs in one shard, so the items of a batch must be of one
 * shard.
 */

/** A batcher for each shard. `flush` returns results in the order of the items. */
export function batchByShard<Item extends { accountId: string }, Result>(
  { shards }: Cluster,
  flush: (items: Item[]) => Promise<Result[]>,
  limits: Partial<Limits>,
): Gatherer<Item, Result> {
  const { maxWaiting = defaults.maxWaiting, minGapMs = defaults.minGapMs } = limits
  const shardLimits = { ...limits, maxFlushes: 1, minGapMs: () => Math.max(minGapMs(), gapMs) }
  const batchers = new Map<string, { batcher: Batcher<Item, Result>; waiting: number }>()
  let waiting = 0
  return {
    async add(item) {
      if (waiting >= maxWaiting) throw tooMany(waiting)
      const key = shards.shardOf(item.accountId)
      const shard = batchers.getOrInsertComputed(key, () => ({
        batcher: new Batcher(flush, shardLimits),
        waiting: 0,
      }))
      waiting++
      shard.waiting++
      try {
        return await shard.batcher.add(item)
      } finally {
        waiting--
        if (--shard.waiting === 0 && batchers.size > maxIdle) batchers.delete(key)
      }
    },
  }
}

/** Idle batchers that are kept for later items. */
const maxIdle = 1_000

/** Each shard gets a part of the items, so batching waits longer than on a single PostgreSQL. */
const gapMs = 40

/**
 * Processes the items shard by shard; results are in the order of the shards. If `isPartial`,
 * results of a lost node may be missing, unless all are.
 */
export async function scatter<T extends { accountId: string }, R>(
  { shards }: Cluster,
  items: T[],
  work: (part: T[]) => Promise<R[]>,
  isPartial: boolean,
): Promise<R[]> {
  const parts = Map.groupBy(items, ({ accountId }) => shards.shardOf(accountId))
  return each(parts.values(), (part) =>
    work(part).catch((error: unknown) => {
      if (codeOf(error) !== notInOneShard) throw error
      return each(Map.groupBy(part, ({ accountId }) => accountId).values(), work)
    }),
  )

  async function each(some: Iterable<T[]>, one: (part: T[]) => Promise<R[]>): Promise<R[]> {
    const all = await Promise.allSettled(Array.from(some, one))
    const done = all.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []))
    const failed = all.find((part) => part.status === 'rejected')
    if (failed !== undefined && !(isPartial && done.length > 0)) throw failed.reason
    return done.flat()
  }
}

/**
 * Does the work for each account and returns the sum. A failure for one account does not stop the
 * others; it is thrown only if nothing was done for any.
 */
export async function inTurn(
  accounts: readonly string[],
  work: (account: string) => Promise<number>,
): Promise<number> {
  let sum = 0
  let failure: { error: unknown } | undefined
  for (const account of accounts) {
    try {
      sum += await work(account)
    } catch (error) {
      failure ??= { error }
    }
  }
  if (failure !== undefined && sum === 0) throw failure.error
  return sum
}
