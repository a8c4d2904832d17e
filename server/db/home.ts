import { sql, type RawBuilder } from 'kysely'
import { Batcher, defaults, tooMany, type Gatherer, type Limits } from './batcher.ts'
import type { Database, Transaction } from './client.ts'
import { codeOf } from './outage.ts'
import { isSpread, reachOf } from './spread-dialect.ts'

/**
 * Where statements of a distributed database are at home: in one shard, which has all tables of its accounts.
 * `atHome` runs a statement there, so a batch holds accounts of one shard; where the database is one PostgreSQL,
 * it holds any. Statements that go through Citus name one account, for each of their tables.
 */

/** The accounts of a statement; undefined where the database is not distributed. */
export type Home = readonly [string, ...string[]] | undefined

export function homeOf(
  database: Database | Transaction,
  batch: readonly { accountId: string }[],
): Home {
  if (!isSpread(database)) return undefined
  const [first, ...others] = new Set(batch.map(({ accountId }) => accountId))
  return first === undefined ? undefined : [first, ...others]
}

/** A further condition on a table of a statement that goes through Citus, of one account. */
export function andIn(table: string, home: Home): RawBuilder<unknown> {
  return home === undefined ? sql`` : sql` and ${sql.ref(`${table}.account_id`)} = ${home[0]}`
}

/** What `at_home` says of accounts that are not in one shard: as of bad data, so a batcher tries each by itself. */
export const notTogether = '22MUS'

/** A batcher that gathers any accounts, or those of a shard. `flush` answers its items in their order. */
export function gather<Item extends { accountId: string }, Result>(
  database: Database,
  flush: (items: Item[]) => Promise<Result[]>,
  limits: Partial<Limits> = {},
): Gatherer<Item, Result> {
  const spread = reachOf(database)?.spread
  if (spread === undefined) return new Batcher(flush, limits)
  const { maxWaiting = defaults.maxWaiting, minGapMs = defaults.minGapMs } = limits
  const shardLimits = { ...limits, maxFlushes: 1, minGapMs: () => Math.max(minGapMs(), gapMs) }
  const shards = new Map<string, { batcher: Batcher<Item, Result>; waiting: number }>()
  let waiting = 0
  return {
    async add(item) {
      if (waiting >= maxWaiting) throw tooMany(waiting)
      const key = spread.keyOf(item.accountId)
      const shard = shards.getOrInsertComputed(key, () => ({
        batcher: new Batcher(flush, shardLimits),
        waiting: 0,
      }))
      waiting++
      shard.waiting++
      try {
        return await shard.batcher.add(item)
      } finally {
        waiting--
        if (--shard.waiting === 0 && shards.size > mostIdle) shards.delete(key)
      }
    },
  }
}

/** Batchers that are kept for what comes next. */
const mostIdle = 1_000

/** A shard has a part of what comes, so gathering takes longer than on one PostgreSQL. */
const gapMs = 40

/**
 * The work on a batch, in parts that one statement may hold. Answers are in the order of the parts. Where
 * `isPartial`, those of a node that is lost may be missing, unless all are.
 */
export async function inParts<T extends { accountId: string }, R>(
  database: Database,
  batch: T[],
  work: (part: T[]) => Promise<R[]>,
  { isPartial = false } = {},
): Promise<R[]> {
  const spread = reachOf(database)?.spread
  if (spread === undefined) return work(batch)
  const shards = Map.groupBy(batch, ({ accountId }) => spread.keyOf(accountId))
  return each(shards.values(), (part) =>
    work(part).catch((error: unknown) => {
      if (codeOf(error) !== notTogether) throw error
      return each(Map.groupBy(part, ({ accountId }) => accountId).values(), work)
    }),
  )

  async function each(parts: Iterable<T[]>, one: (part: T[]) => Promise<R[]>): Promise<R[]> {
    const all = await Promise.allSettled(Array.from(parts, one))
    const done = all.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []))
    const failed = all.find((part) => part.status === 'rejected')
    if (failed !== undefined && !(isPartial && done.length > 0)) throw failed.reason
    return done.flat()
  }
}
