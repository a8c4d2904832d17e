import { connectTo, serverPid, type BenchDatabase } from '../rig/bench-database.ts'
import { createPool } from '../server/db/client.ts'
import { distributeDatabase } from '../server/db/cluster/distribute.ts'
import { migrate } from '../server/db/migrate.ts'
import * as citus from '../server/db/cluster/test-citus.ts'
import { startEmbeddedServer } from '../server/embedded/server.ts'

/** The databases that `spread` compares. */
export interface Stage extends AsyncDisposable {
  url: string
  /** Nodes of a cluster, the coordinator first. */
  nodes: readonly [Node, ...Node[]]
}

export interface Node {
  database: BenchDatabase
  /** Process id of the server. */
  pid: number
}

/** A plain database, on the coordinator's server if there is a cluster. */
export async function openServer(
  cluster: citus.Cluster | undefined,
  dataDir: string,
): Promise<Stage> {
  await using stack = new AsyncDisposableStack()
  if (cluster === undefined) {
    const { url } = stack.use(await startEmbeddedServer({ dataDir }))
    return await stage(stack, url, [url])
  }
  const [coordinator = ''] = cluster.urls
  const alone = { urls: [coordinator] }
  const name = nameOne()
  stack.defer(() => citus.drop(alone, name))
  await using connection = await connectTo(coordinator)
  await connection.query(`create database ${name}`)
  const url = citus.inDatabase(coordinator, name)
  return await stage(stack, url, [url])
}

/** A distributed database. */
export async function openCluster(cluster: citus.Cluster): Promise<Stage> {
  await using stack = new AsyncDisposableStack()
  const name = nameOne()
  stack.defer(() => citus.drop(cluster, name))
  const url = await citus.createEmpty(cluster, name)
  const pool = createPool(url, 1, { answerMs: 0 })
  stack.defer(() => pool.end())
  // Requires a superuser, like the extension.
  await pool.query(`alter database ${name} set citus.enable_stat_counters = on`)
  await pool.query('create extension if not exists pg_stat_statements schema public')
  await migrate(pool)
  await distributeDatabase(pool)
  return await stage(
    stack,
    url,
    cluster.urls.map((one) => citus.inDatabase(one, name)),
  )
}

async function stage(
  stack: AsyncDisposableStack,
  url: string,
  urls: readonly string[],
): Promise<Stage> {
  const nodes: Node[] = []
  for (const one of urls) {
    const database = stack.use(await connectTo(one))
    // The views of Citus call pg_stat_statements without its schema.
    await database.query('set search_path = muster, public')
    nodes.push({ database, pid: await serverPid(database) })
  }
  const [first, ...others] = nodes
  if (first === undefined) throw new Error('The cluster has no nodes')
  const all = stack.move()
  return { url, nodes: [first, ...others], [Symbol.asyncDispose]: () => all.disposeAsync() }
}

const nameOne = (): string => `bench_${process.pid}_${Math.floor(performance.now())}`
