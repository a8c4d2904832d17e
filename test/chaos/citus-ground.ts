import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { serverPid, type BenchDatabase } from '../../rig/bench-database.ts'
import { readChildren } from '../../rig/measure.ts'
import { until } from '../../rig/until.ts'
import { createPool } from '../../server/db/client.ts'
import { distributeDatabase } from '../../server/db/cluster/distribute.ts'
import { migrate } from '../../server/db/migrate.ts'
import * as citus from '../../server/db/cluster/test-citus.ts'
import { signalTo, withDatabase, type Ground } from './ground.ts'

/**
 * A command that restarts the server of a node; it gets the port, and ends when the server answers.
 */
export const restartVariable = 'MUSTER_TEST_CITUS_RESTART'

const restartMs = 60_000
/** After a crash a server rejects connections for a while. */
const patienceMs = 60_000

/** A distributed database of its own on a cluster whose servers run on this machine. */
export async function openCitusGround(
  address: string,
  restart: string,
  log: (line: string) => void,
): Promise<Ground> {
  await using stack = new AsyncDisposableStack()
  const cluster = await citus.findCluster(address)
  const name = `chaos_${process.pid}`
  stack.defer(() => citus.drop(cluster, name))
  const url = await citus.createEmpty(cluster, name)
  const pool = createPool(url, 1, { answerMs: 0 })
  await migrate(pool)
    .then(() => distributeDatabase(pool))
    .finally(() => pool.end())
  const [coordinator, ...workers] = cluster.urls.map((one) =>
    openServer(citus.inDatabase(one, name), restart, log),
  )
  if (coordinator === undefined) throw new Error('The cluster has no coordinator')
  const all = stack.move()
  return {
    url,
    disk: undefined,
    skipped: ['full-disk: the disks of the cluster are not those of this test'],
    nodes: workers.map((server) => ({
      name: server.name,
      url: server.url,
      lose: (ms) => server.end('SIGKILL', ms),
      hang: (ms) => server.hang(ms),
      holds: (accountId) =>
        withDatabase(url, (database) => isHeldBy(database, server.port, accountId)),
    })),
    end: async (signal) => coordinator.end(signal, 0),
    judge: (work) =>
      withDatabase(url, (database) => readCopies(database).then(() => work(database))),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

function openServer(url: string, restart: string, log: (line: string) => void) {
  const { port } = new URL(url)
  const name = `the node at ${port}`
  let isDown = false
  const findPid = (): Promise<number> => withDatabase(url, serverPid)
  const start = async (): Promise<void> => {
    await promisify(execFile)('/bin/sh', ['-c', `${restart} "$0"`, port], { timeout: restartMs })
    await until(`${name} answers`, patienceMs, () => findPid().then(Boolean, () => false))
    isDown = false
  }
  return {
    name,
    url,
    port: Number(port),
    /** Resolves when it is back. */
    async end(signal: NodeJS.Signals, ms: number): Promise<string | undefined> {
      if (isDown) return undefined
      const pid = await findPid().catch(() => undefined)
      if (pid === undefined || isDown) return undefined
      isDown = true
      if (signalTo(pid, signal) === undefined) return undefined
      log(`${name} is down`)
      await delay(ms)
      await start()
      log(`${name} is back`)
      return name
    },
    async hang(ms: number): Promise<string | undefined> {
      if (isDown) return undefined
      const pid = await findPid().catch(() => undefined)
      if (pid === undefined || isDown) return undefined
      isDown = true
      const children = await readChildren(pid)
      const all = [pid, ...children.map((child) => child.pid)]
      for (const one of all) signalTo(one, 'SIGSTOP')
      log(`${name} hangs`)
      await delay(ms)
      for (const one of all) signalTo(one, 'SIGCONT')
      isDown = false
      log(`${name} goes on`)
      return name
    },
  }
}

async function isHeldBy(
  database: BenchDatabase,
  port: number,
  accountId: string,
): Promise<boolean> {
  const rows = await database.query(
    `select from pg_dist_shard_placement
     where shardid = get_shard_id_for_distribution_column('runs', $1::text) and nodeport = $2`,
    [accountId, port],
  )
  return rows.length > 0
}

/**
 * Citus cannot plan statements that compare rows across accounts, and no snapshot spans its nodes.
 * So all rows are copied to the coordinator once all work has ended, and read there.
 */
async function readCopies(database: BenchDatabase): Promise<void> {
  await until('no process of Muster is connected', patienceMs, async () => {
    const left = await database.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'muster'`,
    )
    return left.length === 0
  })
  const tables = await database.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'muster'::regnamespace and relkind = 'r'`,
  )
  await database.query('set citus.enable_ddl_propagation = off')
  await database.query('create schema judged')
  for (const { name } of tables) {
    await database.query(`create table judged."${name}" as select * from muster."${name}"`)
  }
  await database.query('set search_path = judged')
}
