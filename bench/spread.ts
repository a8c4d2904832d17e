import { createPool } from '../server/db/client.ts'
import { distributeDatabase } from '../server/db/distribute.ts'
import { migrate } from '../server/db/migrate.ts'
import * as citus from '../server/db/test-citus.ts'
import { startEmbeddedServer } from '../server/embedded/server.ts'
import { makeAccounts } from '../rig/accounts.ts'
import { createWorkflow, triggerRun } from '../rig/api.ts'
import { connectTo, serverPid, type BenchDatabase } from '../rig/bench-database.ts'
import { findFlaws, waitForCompleted } from '../rig/completed.ts'
import { familyCpuMs, round } from '../rig/measure.ts'
import { startModelProcess } from '../rig/model-process.ts'
import { startMuster } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { figure, type Figure } from './report.ts'

const runs = Number(process.env['BENCH_SPREAD_RUNS'] ?? 10_000)
const accountCounts = (process.env['BENCH_SPREAD_ACCOUNTS'] ?? '5,200').split(',').map(Number)
const connections = 64

/**
 * What runs of many accounts cost PostgreSQL, on the cluster of `MUSTER_TEST_CITUS_URL` or, without it, on one
 * server: CPU a run, and of a cluster whether a write touched two shards, was committed in two phases or was
 * sent to all, from what Citus and PostgreSQL count. The nodes have to be on this machine, whose processes are read.
 */
export async function spread(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const count of accountCounts) figures.push(...(await measure(count)))
  return figures
}

async function measure(accountCount: number): Promise<Figure[]> {
  await using folder = await makeScratchFolder()
  await using stage = await setUp(folder.dataDir)
  await using model = await startModelProcess()
  const { nodes } = stage
  const [coordinator] = nodes
  if (coordinator === undefined) throw new Error('The cluster has no nodes')
  await using muster = await startMuster({
    folder: folder.path,
    env: {
      DATABASE_URL: stage.url,
      MUSTER_MODELS_FILE: await model.writeModelsFile(folder.path),
      MUSTER_RUN_CONCURRENCY: '500',
      MUSTER_ACCOUNT_CONCURRENCY: '500',
    },
  })
  const accounts = await makeAccounts(stage.url, accountCount)
  const workflows: { key: string; id: string }[] = []
  for (const { adminKey: key } of accounts) {
    workflows.push({ key, id: await createWorkflow(muster.url, 'bench', key) })
  }
  let triggered = 0
  const play = async (count: number): Promise<void> => {
    const end = triggered + count
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (triggered < end) {
          const tag = triggered++
          const { key, id } = workflows[tag % workflows.length] as { key: string; id: string }
          await triggerRun(muster.url, id, `#${tag}# ${'Facts. '.repeat(290)}`, key)
        }
      }),
    )
    await waitForCompleted(coordinator.database, end, 240_000)
  }
  // Every connection has prepared its statements then.
  await play(Math.min(2_000, runs))
  const isCluster = nodes.length > 1
  if (isCluster) await resetCounts(nodes)
  const before = await readCpu(nodes)
  const startedAt = performance.now()
  await play(runs)
  const seconds = (performance.now() - startedAt) / 1_000
  const after = await readCpu(nodes)
  const cpu = after.map((ms, index) => (ms - (before[index] ?? 0)) / runs)
  const name = `${runs} runs of ${accountCount} accounts`
  const flaws = isCluster ? [] : await findFlaws(coordinator.database)
  return [
    figure(`${name}: runs/s`, round(runs / seconds, 0)),
    figure(
      `the same: CPU of PostgreSQL a run, of each server`,
      `${round(
        cpu.reduce((sum, ms) => sum + ms, 0),
        2,
      )} ms (${cpu.map((ms) => round(ms, 2)).join(', ')})`,
    ),
    figure('the same: flaws', String(flaws.length), '0', flaws.length === 0),
    ...(isCluster ? await readCounts(nodes) : []),
  ]
}

interface Node {
  database: BenchDatabase
  pid: number
}

/** A distributed database on the cluster, or one server. */
async function setUp(dataDir: string): Promise<AsyncDisposable & { url: string; nodes: Node[] }> {
  await using stack = new AsyncDisposableStack()
  const address = process.env[citus.citusVariable]
  const urls: string[] = []
  if (address === undefined) {
    urls.push(stack.use(await startEmbeddedServer({ dataDir })).url)
  } else {
    const cluster = await citus.findCluster(address)
    const name = `bench_${process.pid}_${Math.floor(performance.now())}`
    stack.defer(() => citus.drop(cluster, name))
    const url = await citus.createEmpty(cluster, name)
    await using pool = await openPool(url)
    // Of a superuser, as the extension is.
    await pool.query(`alter database ${name} set citus.enable_stat_counters = on`)
    await pool.query('create extension if not exists pg_stat_statements schema public')
    await migrate(pool)
    await distributeDatabase(pool)
    urls.push(...cluster.urls.map((one) => citus.inDatabase(one, name)))
  }
  const nodes: Node[] = []
  for (const url of urls) {
    const database = stack.use(await connectTo(url))
    // The views of Citus call pg_stat_statements by its name alone.
    await database.query('set search_path = muster, public')
    nodes.push({ database, pid: await serverPid(database) })
  }
  const all = stack.move()
  return { url: urls[0] ?? '', nodes, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

async function openPool(url: string) {
  const pool = createPool(url, 1, { answerMs: 0 })
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() })
}

const readCpu = (nodes: Node[]): Promise<number[]> =>
  Promise.all(nodes.map(({ pid }) => familyCpuMs(pid)))

async function resetCounts(nodes: Node[]): Promise<void> {
  const [coordinator] = nodes
  await coordinator?.database.query(
    'select citus_stat_counters_reset(), citus_stat_statements_reset()',
  )
  for (const { database } of nodes) await database.query('select pg_stat_statements_reset()')
}

async function readCounts(nodes: Node[]): Promise<Figure[]> {
  const [coordinator, ...workers] = nodes.map(({ database }) => database)
  if (coordinator === undefined) return []
  const [counters] = await coordinator.query<{ single: number; multi: number }>(
    `select query_execution_single_shard::int as single, query_execution_multi_shard::int as multi
     from citus_stat_counters where name = current_database()`,
  )
  let prepared = 0
  const sent: number[] = []
  for (const worker of workers) {
    const [row] = await worker.query<{ prepared: number; calls: number }>(
      `select coalesce(sum(calls) filter (where query ilike 'prepare transaction%'), 0)::int as prepared,
              coalesce(sum(calls) filter (where toplevel), 0)::int as calls
       from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())`,
    )
    prepared += row?.prepared ?? 0
    sent.push(row?.calls ?? 0)
  }
  const broadcast = await coordinator.query<{ query: string; calls: number }>(
    `select query, sum(calls)::int as calls from citus_stat_statements
     where partition_key is null and executor = 'adaptive' group by query order by 2 desc`,
  )
  const writes = broadcast.filter(({ query }) => /\b(insert|update|delete)\b/i.test(query))
  if (process.env['BENCH_SPREAD_TEXTS'] !== undefined) {
    for (const { query, calls } of broadcast) console.log(calls, query.replaceAll(/\s+/g, ' '))
  }
  const [balance] = await coordinator
    .query<{ share: number }>(
      `select max(runs)::float8 / avg(runs)::float8 as share from (
       select nodename, nodeport, count(*) as runs
       from runs join pg_dist_shard on logicalrelid = 'runs'::regclass
         and shardid = get_shard_id_for_distribution_column('runs', account_id)
       join pg_dist_shard_placement using (shardid) group by 1, 2) as node`,
    )
    .catch(() => [])
  return [
    figure(
      'the same: statements of one shard / of several, a run',
      `${round((counters?.single ?? 0) / runs, 2)} / ${round((counters?.multi ?? 0) / runs, 2)}`,
    ),
    figure('the same: commits in two phases', String(prepared), '0', prepared === 0),
    figure('the same: writes to several shards', String(writes.length), '0', writes.length === 0),
    figure(
      'the same: commands to each worker, a run',
      sent.map((calls) => round(calls / runs)).join(', '),
    ),
    figure(
      'the same: runs of the fuller worker over the mean',
      round(balance?.share ?? Number.NaN, 2),
    ),
  ]
}
