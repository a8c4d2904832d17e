import { Client } from 'pg'
import { createPool } from '../client.ts'
import { distributeDatabase } from './distribute.ts'
import { migrate } from '../migrate.ts'

/**
 * Databases for tests on a Citus cluster that is there already. `MUSTER_TEST_CITUS_URL` is the address of its
 * coordinator, as a role that may make databases and extensions, in a database that knows the workers; whoever
 * runs the tests can reach those under the addresses that the coordinator has for them.
 */
export const citusVariable = 'MUSTER_TEST_CITUS_URL'

/** Without a cluster, why what needs one is skipped. */
export const noCitus =
  process.env[citusVariable] === undefined
    ? `not tried on Citus: ${citusVariable} is not set`
    : false

/** On a cluster, why a test is skipped there. */
export const onCitus = (why: string): string | false =>
  process.env[citusVariable] !== undefined && `not on Citus: ${why}`

export interface Cluster {
  /** Of a server, the coordinator's first. */
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

/** A database on every server, which knows the others, or as many workers, and whose tables are not distributed. */
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

/** The coordinator knows a server from now on. */
export async function addNode(coordinator: string, url: string): Promise<void> {
  await run(coordinator, 'select citus_add_node($1, $2)', hostAndPort(url))
}

/** The coordinator looks for one of its nodes where nobody listens. */
export interface LostNode {
  /** Those that it has. */
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
  await movePort(coordinator, port, nobodysPort)
  return {
    accounts: new Set(lost.map(({ id }) => id)),
    find: () => movePort(coordinator, nobodysPort, port),
  }
}

export const nobodysPort = 1

/** A server of the cluster takes another port for one of them. */
export async function movePort(url: string, from: number, to: number): Promise<void> {
  await using client = await connect(url)
  await client.query('set allow_system_table_mods = on')
  await client.query('update pg_dist_node set nodeport = $2 where nodeport = $1', [from, to])
}

/** A distributed database from which others are cloned. */
export async function createTemplate(cluster: Cluster, name: string): Promise<void> {
  {
    await using pool = createPool(await createEmpty(cluster, name), 1, { answerMs: 0 })
    await migrate(pool)
    const distribution = await distributeDatabase(pool)
    if (distribution.kind === 'refused') throw new Error(distribution.why)
  }
  for (const url of cluster.urls) {
    // The daemon that Citus has in each database would sit in it while it is cloned.
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
    // The daemon that Citus has in each database may just be starting, and is seen the second time.
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
