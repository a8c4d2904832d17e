import { Client } from 'pg'
import { createPool } from '../client.ts'
import { distributeDatabase } from './distribute.ts'
import { migrate } from '../migrate.ts'

/**
 * Databases for tests on an existing Citus cluster. `MUSTER_TEST_CITUS_URL` is the address of its
 * coordinator, with a role that may create databases and extensions, in a database that knows the
 * workers. The machine that runs the tests must reach the workers under the addresses that the
 * coordinator has for them.
 */
export const citusVariable = 'MUSTER_TEST_CITUS_URL'

/** Without a cluster: the reason for which its tests are skipped. */
export const noCitus =
  process.env[citusVariable] === undefined
    ? `not tried on Citus: ${citusVariable} is not set`
    : false

/** On a cluster: the reason for which a test is skipped. */
export const onCitus = (why: string): string | false =>
  process.env[citusVariable] !== undefined && `not on Citus: ${why}`

export interface Cluster {
  /** Addresses of the database on each server, the coordinator's first. */
  urls: string[]
}

export async function findCluster(url: string): Promise<Cluster> {
  await using client = await connect(url)
  const { rows } = await client.query<{ host: string; port: number }>(
    `select nodename as host, nodeport as port from pg_dist_node
     where groupid > 0 and isactive order by nodeid`,
  )
  if (rows.length === 0) throw new Error(`Cannot test on Citus: ${citusVariable} knows no workers`)
  const workers = rows.map(({ host, port }) =>
    Object.assign(new URL(url), { host: `${host}:${port}` }),
  )
  return { urls: [url, ...workers.map(({ href }) => href)] }
}

/**
 * Creates a database on every server and adds `knownWorkers` of them to the
 * coordinator; no table is distributed.
 */
export async function createEmpty(
  { urls }: Cluster,
  name: string,
  knownWorkers = urls.length - 1,
): Promise<string> {
  for (const url of urls) {
    await run(url, `create database ${name}`)
    await run(inDatabase(url, name), 'create extension citus')
  }
  const [coordinator = '', ...workers] = urls.map((url) => inDatabase(url, name))
  await run(coordinator, 'select citus_set_coordinator_host($1, $2)', hostAndPort(coordinator))
  for (const worker of workers.slice(0, knownWorkers)) await addNode(coordinator, worker)
  return coordinator
}

/** Makes a server known to the coordinator. */
export async function addNode(coordinator: string, url: string): Promise<void> {
  await run(coordinator, 'select citus_add_node($1, $2)', hostAndPort(url))
}

/** A node that the coordinator looks for at a port without a server. */
export interface LostNode {
  /** The accounts of the node. */
  accounts: Set<string>
  find: () => Promise<void>
}

export async function loseNode(coordinator: string): Promise<LostNode> {
  await using client = await connect(coordinator)
  const { rows } = await client.query<{ id: string; port: number }>(
    `select id, nodeport as port from muster.accounts join pg_dist_shard_placement
       on shardid = get_shard_id_for_distribution_column('muster.jobs', id)`,
  )
  const port = rows[0]?.port ?? 0
  const lost = rows.filter((one) => one.port === port)
  if (lost.length === 0 || lost.length === rows.length) {
    throw new Error(`Cannot lose a node: it has ${lost.length} of ${rows.length} accounts`)
  }
  await movePort(coordinator, port, unusedPort)
  return {
    accounts: new Set(lost.map(({ id }) => id)),
    find: () => movePort(coordinator, unusedPort, port),
  }
}

export const unusedPort = 1

/** Makes the server at `url` look for one of the nodes at another port. */
export async function movePort(url: string, from: number, to: number): Promise<void> {
  await using client = await connect(url)
  await client.query('set allow_system_table_mods = on')
  await client.query('update pg_dist_node set nodeport = $2 where nodeport = $1', [from, to])
}

/** Creates a distributed database that others are cloned from. */
export async function createTemplate(cluster: Cluster, name: string): Promise<void> {
  {
    await using pool = createPool(await createEmpty(cluster, name), 1, { answerMs: 0 })
    await migrate(pool)
    const distribution = await distributeDatabase(pool)
    if (distribution.kind === 'refused') throw new Error(distribution.why)
  }
  for (const url of cluster.urls) {
    // Citus has a daemon in each database, whose connection would prevent the cloning.
    await run(url, `alter database ${name} with is_template true allow_connections false`)
    await run(url, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ])
  }
}

export async function clone({ urls }: Cluster, template: string, name: string): Promise<string> {
  await Promise.all(urls.map((url) => run(url, `create database ${name} template ${template}`)))
  return inDatabase(urls[0] ?? '', name)
}

export async function drop({ urls }: Cluster, name: string): Promise<void> {
  for (const url of urls) {
    await run(
      url,
      `update pg_database set datistemplate = false, datallowconn = false where datname = $1`,
      [name],
    )
    const dropIt = () => run(url, `drop database if exists ${name} with (force)`)
    // The Citus daemon of the database may connect between the check and the drop; the second try
    // ends it.
    await dropIt().catch(dropIt)
  }
}

export function inDatabase(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

function hostAndPort(url: string): [string, number] {
  const { hostname, port } = new URL(url)
  return [hostname, Number(port)]
}

export async function run(url: string, text: string, values?: unknown[]): Promise<void> {
  await using client = await connect(url)
  await client.query(text, values)
}

export async function connect(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client(url)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: async () => await client.end() })
}
