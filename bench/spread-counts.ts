import { round } from '../rig/measure.ts'
import { figure, type Figure } from './report.ts'
import type { Node } from './spread-stage.ts'

/** Statistics of Citus and PostgreSQL about the statements of the `spread` benchmark. */

type Nodes = readonly [Node, ...Node[]]
type Database = Node['database']

export async function resetCounts(nodes: Nodes): Promise<void> {
  const [{ database: coordinator }] = nodes
  await coordinator.query('select citus_stat_counters_reset(), citus_stat_statements_reset()')
  for (const { database } of nodes) await database.query('select pg_stat_statements_reset()')
}

export async function readCounts(
  [{ database: coordinator }, ...workers]: Nodes,
  { runs, seconds, isMany }: { runs: number; seconds: number; isMany: boolean },
): Promise<Figure[]> {
  const [counters] = await coordinator.query<{ single: number; multi: number }>(
    `select query_execution_single_shard::int as single, query_execution_multi_shard::int as multi
     from citus_stat_counters where name = current_database()`,
  )
  const { single = 0, multi = 0 } = counters ?? {}
  let prepared = 0
  const sent: number[] = []
  for (const { database } of workers) {
    const [row] = await database.query<{ prepared: number; calls: number }>(
      `select coalesce(sum(calls) filter (where query ilike 'prepare transaction%'), 0)::int as prepared,
              coalesce(sum(calls) filter (where toplevel and query ilike '%at_home(%'), 0)::int as calls
       from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())`,
    )
    prepared += row?.prepared ?? 0
    sent.push((row?.calls ?? 0) / runs)
  }
  const writes = await findBroadcastWrites(coordinator)
  if (process.env['BENCH_SPREAD_TEXTS'] !== undefined) {
    for (const { database } of [{ database: coordinator }, ...workers]) await printTexts(database)
  }
  const apart = await countPlaces(coordinator)
  return [
    figure(
      'the same: statements at home a run, on each worker',
      sent.map((calls) => round(calls, 2)).join(', '),
    ),
    figure(
      'the same: statements of one shard through the coordinator, a run',
      round(single / runs, 2),
    ),
    figure('the same: looks over all shards, a second', round(multi / seconds)),
    figure('the same: commits in two phases', String(prepared), '0', prepared === 0),
    figure(
      'the same: writes to several shards',
      writes.length === 0 ? '0' : writes.join('; '),
      '0',
      writes.length === 0,
    ),
    figure('the same: places of the tables of an account', String(apart), '1', apart === 1),
    isEven('runs of each worker over their mean', await countRuns(coordinator), isMany),
  ]
}

/** Each number divided by the mean; the target of 20 % applies if there are enough accounts. */
export function isEven(name: string, numbers: number[], isPromised: boolean): Figure {
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  const shares = numbers.map((number) => number / mean)
  const isMet = shares.every((share) => Math.abs(share - 1) <= 0.2)
  const value = shares.map((share) => round(share, 2)).join(', ')
  return isPromised
    ? figure(`the same: ${name}`, value, '0.8–1.2', isMet)
    : figure(`the same: ${name}`, value)
}

/**
 * Statements that changed a distributed table without naming an account: they go to every shard.
 */
async function findBroadcastWrites(coordinator: Database): Promise<string[]> {
  const spread = new Set(
    (
      await coordinator.query<{ name: string }>(
        `select relname as name from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
         where partmethod = 'h'`,
      )
    ).map(({ name }) => name),
  )
  const unkeyed = await coordinator.query<{ query: string }>(
    `select distinct query from citus_stat_statements
     where partition_key is null and executor = 'adaptive'`,
  )
  return unkeyed
    .map(({ query }) => query.replaceAll(/\s+/g, ' '))
    .filter((query) =>
      Array.from(
        query.matchAll(/\b(?:insert into|update|delete from) "?(?:muster\.)?(\w+)/gi),
      ).some(([, table = '']) => spread.has(table)),
    )
}

/** Maximum placements of the tables of any one shard group. */
async function countPlaces(coordinator: Database): Promise<number> {
  const [row] = await coordinator.query<{ places: number }>(
    `select max(places)::int as places from (
       select shardminvalue, count(distinct groupid) as places
       from pg_dist_shard join pg_dist_placement using (shardid)
       join pg_dist_partition using (logicalrelid)
       where partmethod = 'h' group by shardminvalue) as shard`,
  )
  return row?.places ?? 0
}

/** Number of runs on each worker. */
async function countRuns(coordinator: Database): Promise<number[]> {
  const counts = await coordinator.query(
    'select account_id, count(*)::int as runs from runs group by account_id',
  )
  const rows = await coordinator.query<{ runs: number }>(
    `select coalesce(sum(counted.runs), 0)::int as runs
     from pg_dist_node as node
     left join pg_dist_placement as placement using (groupid)
     left join json_to_recordset($1::json) as counted (account_id text, runs int)
       on placement.shardid = get_shard_id_for_distribution_column('runs', counted.account_id)
     where node.shouldhaveshards and node.noderole = 'primary'
     group by node.groupid order by node.groupid`,
    [JSON.stringify(counts)],
  )
  return rows.map(({ runs }) => runs)
}

/** The most expensive statements of a node. */
async function printTexts(database: Database): Promise<void> {
  const rows = await database.query<{ calls: number; ms: number; query: string }>(
    `select calls::int, total_exec_time::int as ms, query from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database()) and toplevel
     order by total_exec_time desc limit 20`,
  )
  for (const { calls, ms, query } of rows) {
    console.log(calls, ms, query.replaceAll(/\s+/g, ' ').slice(0, 200))
  }
  console.log('')
}
