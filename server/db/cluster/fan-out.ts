import { sql } from 'kysely'
import type { Database, Transaction } from '../client.ts'
import { codeOf, outageOf } from '../outage.ts'
import type { Query } from '../statement.ts'
import { clusterOf, type Cluster } from './dialect.ts'
import { readOnNode, runOnShard, type Cast } from './run-on-shard.ts'
import { nodeName, type NodeAddress } from './shard-map.ts'

/**
 * Reads rows of all accounts. Citus queries each node, and fails if one is gone, or hangs if one
 * does not respond. In that case every shard is queried separately, and the rows of the responding
 * nodes are returned: accounts on a lost node wait for it, others continue.
 *
 * The statement may only group by account, and a limit applies to each shard.
 */
export async function readAll<T>(
  database: Database | Transaction,
  { unresponsive }: Cluster,
  query: Query<T>,
  cast: Cast<T> = {},
): Promise<T[]> {
  const read = async (): Promise<T[]> => (await query.execute(database)).rows
  if (database.isTransaction) return read()
  try {
    return await (unresponsive === undefined ? read() : unresponsive.during(undefined, read))
  } catch (error) {
    if (outageOf(error) === undefined) throw error
    return fanOut(database, query, cast)
  }
}

/** Reads each shard separately, for statements that Citus cannot plan, such as recursive ones. */
export async function fanOut<T>(
  database: Database,
  query: Query<T>,
  cast: Cast<T> = {},
): Promise<T[]> {
  const shards = await shardsOf(database)
  const { nodes, unresponsive } = clusterOf(database) ?? {}
  const reads = [...Map.groupBy(shards, nodeName).values()].map(async (own) => {
    const [node] = own as [Shard]
    unresponsive?.check(node)
    const accounts = own.map(({ account }) => account)
    if (nodes?.at(node) !== undefined) {
      try {
        return await readOnNode(database, node, accounts, query, cast)
      } catch (error) {
        if (codeOf(error) !== '40001') throw error
        known.delete(database.getExecutor().adapter)
      }
    }
    const rows: T[] = []
    for (const account of accounts)
      rows.push(...(await runOnShard(database, [account], query, cast)))
    return rows
  })
  const answers = await Promise.allSettled(reads)
  const lost = answers.find(({ status }) => status === 'rejected')
  const isSome = answers.some(({ status }) => status === 'fulfilled')
  if (lost?.status === 'rejected' && (!isSome || outageOf(lost.reason) === undefined)) {
    throw lost.reason
  }
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

/** A shard with its node. */
interface Shard extends NodeAddress {
  /** An account id that belongs to this shard. */
  account: string
}

const known = new WeakMap<object, { at: number; shards: Promise<Shard[]> }>()
/** Until the cache expires, Citus finds a shard that has moved. */
const knownMs = 10_000

function shardsOf(database: Database): Promise<Shard[]> {
  const { adapter } = database.getExecutor()
  const last = known.get(adapter)
  if (last !== undefined && performance.now() - last.at < knownMs) return last.shards
  const shards = sql<Shard>`
    select account, nodename as host, nodeport as port
    from (select get_shard_id_for_distribution_column('muster.runs', id) as shard, min(id) as account
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
