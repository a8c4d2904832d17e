import { sql, type RawBuilder } from 'kysely'
import { atHome, atHomes } from './at-home.ts'
import type { Database, Transaction } from './client.ts'
import { codeOf, outageOf } from './outage.ts'
import type { Home } from './home.ts'
import { isSpread, reachOf } from './spread-dialect.ts'
import { nameOf, type NodeAddress } from './spread.ts'

/**
 * A statement that reads rows of all accounts. Where they are spread over nodes Citus asks each of them, and fails
 * when one is away, or waits for one that is silent. Then every shard is asked by itself, and there are the rows of the nodes that answer: what
 * an account on a lost node has to do waits for it, what others have goes on.
 *
 * The statement is written as one at home. It groups by account, if at all, and a limit counts for each shard.
 */
export async function lookOver<T>(
  database: Database | Transaction,
  query: RawBuilder<T>,
  times: readonly (keyof T)[] = [],
): Promise<T[]> {
  const reach = database.isTransaction ? undefined : reachOf(database)
  const look = async (): Promise<T[]> => (await query.execute(database)).rows
  if (reach === undefined) return look()
  const { silent } = reach
  try {
    return await (silent === undefined ? look() : silent.hear(undefined, look))
  } catch (error) {
    if (outageOf(error) === undefined) throw error
    return lookIntoShards(database, query, times)
  }
}

/** The same of a statement that Citus cannot take apart, such as one that reads so many rows of each account. */
export async function lookIntoShards<T>(
  database: Database,
  query: RawBuilder<T>,
  times: readonly (keyof T)[] = [],
): Promise<T[]> {
  const shards = await shardsOf(database)
  const { nodes, silent } = reachOf(database) ?? {}
  const looks = [...Map.groupBy(shards, nameOf).values()].map(async (own) => {
    const [node] = own as [Shard]
    silent?.check(node)
    const homes = own.map(({ home }) => home)
    if (nodes?.at(node) !== undefined) {
      try {
        return await atHomes(database, node, homes, query, times)
      } catch (error) {
        if (codeOf(error) !== '40001') throw error
        known.delete(database.getExecutor().adapter)
      }
    }
    const rows: T[] = []
    for (const home of homes) rows.push(...(await atHome(database, [home], query, times)))
    return rows
  })
  const answers = await Promise.allSettled(looks)
  const lost = answers.find(({ status }) => status === 'rejected')
  const isSome = answers.some(({ status }) => status === 'fulfilled')
  if (lost?.status === 'rejected' && (!isSome || outageOf(lost.reason) === undefined)) {
    throw lost.reason
  }
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

/** With the node that has it. */
interface Shard extends NodeAddress {
  /** An id that an account of this shard might have. */
  home: string
}

const known = new WeakMap<object, { at: number; shards: Promise<Shard[]> }>()
/** What is in another place since is asked there: Citus finds it. */
const knownMs = 10_000

function shardsOf(database: Database): Promise<Shard[]> {
  const { adapter } = database.getExecutor()
  const last = known.get(adapter)
  if (last !== undefined && performance.now() - last.at < knownMs) return last.shards
  const shards = sql<Shard>`
    select home, nodename as host, nodeport as port
    from (select get_shard_id_for_distribution_column('muster.runs', id) as shard, min(id) as home
          from (select 'shard_' || number as id
                from generate_series(1, 30 * (select count(*) from pg_dist_shard
                                              where logicalrelid = 'muster.runs'::regclass)) as number) as ids
          group by 1) as shards
    join pg_dist_placement as placement on shardid = shard
    join pg_dist_node as node on node.groupid = placement.groupid and noderole = 'primary'`
    .execute(database)
    .then(({ rows }) => rows)
  known.set(adapter, { at: performance.now(), shards })
  shards.catch(() => known.delete(adapter))
  return shards
}

/** Accounts that one look finds. */
const accountsAtOnce = 1_000

/**
 * Work that looks over all accounts for rows of a table: one statement does it. Where the database is
 * distributed, the accounts that have such rows are looked for first, and each is done by itself. Returns the
 * sum of what the work returns.
 */
export async function eachAccount(
  database: Database | Transaction,
  rows: RawBuilder<unknown>,
  work: (home: Home) => Promise<number>,
): Promise<number> {
  if (!isSpread(database)) return work(undefined)
  return inTurn(await accountsWith(database, rows), work)
}

/** The same of work that goes at home and may do all accounts of a shard at once. */
export async function eachShard(
  database: Database,
  rows: RawBuilder<unknown>,
  work: (home: Home) => Promise<number>,
): Promise<number> {
  const spread = reachOf(database)?.spread
  if (spread === undefined) return work(undefined)
  const found = await accountsWith(database, rows)
  const shards = Map.groupBy(found, (account) => spread.keyOf(account))
  return inTurn(
    [...shards.values()].flatMap(([one]) => one ?? []),
    work,
  )
}

/**
 * The sum of what the work returns of each account. One account's trouble is not that of the next: it fails only
 * where it did for one and nothing was done for another.
 */
export async function inTurn(
  accounts: readonly string[],
  work: (home: [string]) => Promise<number>,
): Promise<number> {
  let sum = 0
  let failure: { error: unknown } | undefined
  for (const account of accounts) {
    try {
      sum += await work([account])
    } catch (error) {
      failure ??= { error }
    }
  }
  if (failure !== undefined && sum === 0) throw failure.error
  return sum
}

async function accountsWith(
  database: Database | Transaction,
  rows: RawBuilder<unknown>,
): Promise<string[]> {
  const query = sql<{ account: string }>`
    select distinct account_id as account from ${rows} limit ${sql.lit(accountsAtOnce)}`
  return (await lookOver(database, query)).map(({ account }) => account)
}
