import { sql, type RawBuilder } from 'kysely'
import { atHome } from './at-home.ts'
import type { Database, Transaction } from './client.ts'
import { outageOf } from './outage.ts'
import { isSpread } from './spread-dialect.ts'

/**
 * A statement that reads rows of all accounts. Where they are spread over nodes Citus asks each of them, and fails
 * when one is away. Then every shard is asked by itself, and there are the rows of the nodes that answer: what
 * an account on a lost node has to do waits for it, what others have goes on.
 *
 * The statement is written as one at home. It groups by account, if at all, and a limit counts for each shard.
 */
export async function lookOver<T>(
  database: Database | Transaction,
  query: RawBuilder<T>,
  times: readonly (keyof T)[] = [],
): Promise<T[]> {
  try {
    return (await query.execute(database)).rows
  } catch (error) {
    const isLoss = isSpread(database) && !database.isTransaction && outageOf(error) !== undefined
    if (!isLoss) throw error
    return lookByShard(database, query, times, error)
  }
}

async function lookByShard<T>(
  database: Database,
  query: RawBuilder<T>,
  times: readonly (keyof T)[],
  loss: unknown,
): Promise<T[]> {
  const shards = await shardsOf(database)
  const nodes = [...Map.groupBy(shards, ({ node }) => node).values()].map(async (own) => {
    const rows: T[] = []
    for (const { account } of own) rows.push(...(await atHome(database, account, query, times)))
    return rows
  })
  const answers = await Promise.allSettled(nodes)
  const lost = answers.find(({ status }) => status === 'rejected')
  const isSome = answers.some(({ status }) => status === 'fulfilled')
  if (lost?.status === 'rejected' && (!isSome || outageOf(lost.reason) === undefined)) {
    throw lost.reason
  }
  // A coordinator that was away for a moment.
  if (answers.length === 0) throw loss
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

interface Shard {
  /** Of those that are in the shard, any. */
  account: string
  node: number
}

const known = new WeakMap<object, { at: number; shards: Promise<Shard[]> }>()
/** What is in another place since is asked there: Citus finds it. An account that is new waits for this. */
const knownMs = 10_000

/** The shards that hold accounts. */
function shardsOf(database: Database): Promise<Shard[]> {
  const { adapter } = database.getExecutor()
  const last = known.get(adapter)
  if (last !== undefined && performance.now() - last.at < knownMs) return last.shards
  const shards = sql<Shard>`
    select account, groupid as node
    from (select get_shard_id_for_distribution_column('muster.runs', id) as shard, min(id) as account
          from accounts group by 1) as filled
    join pg_dist_placement on shardid = shard`
    .execute(database)
    .then(({ rows }) => rows)
  known.set(adapter, { at: performance.now(), shards })
  shards.catch(() => known.delete(adapter))
  return shards
}
