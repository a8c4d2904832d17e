import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbeddedServer, type EmbeddedServer } from '../embedded/server.ts'
import { prepareDatabase } from '../start/prepare-database.ts'
import { createDatabase, createPool, type Database } from './client.ts'
import { ShardMap } from './cluster/shard-map.ts'
import * as citus from './cluster/test-citus.ts'

/**
 * Databases for tests. `node --test --test-global-setup=./server/db/test-database.ts` starts one
 * real server for the whole run and migrates one template; each test file clones it within
 * milliseconds with `await using database = await createTestDatabase()`.
 *
 * The server never survives the run. Normally `globalTeardown` stops it. When the runner is
 * interrupted (Ctrl-C) or killed, a small shell at the other end of a pipe notices, stops the
 * server and removes its folder.
 */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string
  /**
   * Opens a pool of connections that knows whether the database is distributed; the caller closes
   * it.
   */
  open(connections: number): Database
}

/** Test processes are started after the global setup and inherit its environment. */
const addressVariable = 'MUSTER_TEST_SERVER_URL'
/** Set where the test databases are distributed on a Citus cluster. */
const clusterVariable = 'MUSTER_TEST_CLUSTER'
const templateName = 'muster_template'

export async function createTestDatabase(): Promise<TestDatabase> {
  const found = process.env[clusterVariable]
  return found === undefined
    ? createPlainDatabase()
    : createOnCluster(JSON.parse(found) as TestCluster)
}

/**
 * A database on one PostgreSQL, even where the others are on a cluster: for tests of connections,
 * migrations and plans.
 */
export async function createPlainDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env[addressVariable]
  if (serverUrl === undefined) {
    throw new Error(
      'Cannot create a test database: the test server is not running; use npm test, or ' +
        'node --test --test-global-setup=./server/db/test-database.ts FILE',
    )
  }
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // Copying the template's files takes half the processor time of the usual copy through the log.
  await citus.run(serverUrl, `create database ${name} template ${templateName} strategy file_copy`)
  const url = citus.inDatabase(serverUrl, name)
  return {
    url,
    open: (connections) => createDatabase(createPool(url, connections)),
    async [Symbol.asyncDispose]() {
      await dropDatabase(serverUrl, name)
    },
  }
}

interface TestCluster extends citus.Cluster {
  template: string
}

async function createOnCluster(cluster: TestCluster): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const url = await citus.clone(cluster, cluster.template, name)
  const shards = new ShardMap(createDatabase(createPool(url, 1)))
  const around = createDatabase(createPool(url, 3))
  return {
    url,
    open: (connections) => createDatabase(createPool(url, connections), { shards, around }),
    async [Symbol.asyncDispose]() {
      await shards[Symbol.asyncDispose]()
      await around.destroy()
      await citus.drop(cluster, name)
    },
  }
}

let server: Promise<EmbeddedServer> | undefined
let cluster: TestCluster | undefined
let folder: string | undefined
let watcher: ChildProcess | undefined

export async function globalSetup(): Promise<void> {
  const citusUrl = process.env[citus.citusVariable]
  if (citusUrl !== undefined) {
    cluster = { ...(await citus.findCluster(citusUrl)), template: `muster_template_${process.pid}` }
    await citus.createTemplate(cluster, cluster.template)
    process.env[clusterVariable] = JSON.stringify(cluster)
  }
  folder = await mkdtemp(join(await findFastFolder(), 'muster-test-'))
  // When root runs the tests, PostgreSQL runs as another user, who must be able to enter the
  // folder.
  await chmod(folder, 0o711)
  watcher = watchOver(folder)
  server = startEmbeddedServer({
    dataDir: join(folder, 'data'),
    fsync: false,
    settings: { max_connections: '500', max_wal_size: '256MB', full_page_writes: 'off' },
  })
  const { url } = await server
  await citus.run(url, `create database ${templateName}`)
  await prepareDatabase(citus.inDatabase(url, templateName))
  // A template can be cloned only while it has no connections, not even autovacuum's.
  await citus.run(
    url,
    `alter database ${templateName} with is_template true allow_connections false`,
  )
  process.env[addressVariable] = url
  // Compiled code is cached for all test processes and the processes that they start, in later runs
  // too.
  process.env['NODE_COMPILE_CACHE'] ??= join(
    import.meta.dirname,
    '../../node_modules/.cache/node-compile',
  )
}

/** Ctrl-C during the setup calls this too, while the server is still starting. */
export async function globalTeardown(): Promise<void> {
  if (cluster !== undefined) await citus.drop(cluster, cluster.template)
  const started = await server?.catch(() => undefined)
  await started?.[Symbol.asyncDispose]()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  watcher?.kill()
}

/**
 * A folder in memory when there is plenty (a clone takes 20 ms there and 200 on a disk), unless
 * TMPDIR is set.
 */
export async function findFastFolder(): Promise<string> {
  if (process.env['TMPDIR'] !== undefined) return tmpdir()
  const memory = await statfs('/dev/shm').catch(() => undefined)
  const freeBytes = memory === undefined ? 0 : memory.bavail * memory.bsize
  return freeBytes > 2 * 1024 ** 3 ? '/dev/shm' : tmpdir()
}

/**
 * Starts a shell that stops the server in `folder` and removes the folder once this process is
 * gone, for whatever reason.
 */
function watchOver(folder: string): ChildProcess {
  // The pauses are for a server or an initdb that was started in the last moment and shows up late.
  const script = `
    cat >/dev/null
    while [ -e "$1" ]; do
      sleep 0.3
      pid=$(head -n 1 "$1/data/postgres/postmaster.pid")
      if [ -n "$pid" ]; then kill -INT "$pid"; while kill -0 "$pid"; do sleep 0.1; done; fi
      rm -rf "$1"
    done`
  const child = spawn('/bin/sh', ['-c', script, 'sh', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.unref()
  return child
}

/**
 * A pool reports its end while its sessions are still closing, and a session that is ended by force
 * at that moment raises an error that fails the test. So sessions get time to close; the ones that
 * stay are ended by force.
 */
async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await using client = await citus.connect(serverUrl)
  for (let patience = 50; patience > 0; patience -= 1) {
    const { rowCount } = await client.query('select from pg_stat_activity where datname = $1', [
      name,
    ])
    if (rowCount === 0) break
    await delay(10)
  }
  await client.query(`drop database if exists ${name} with (force)`)
}
