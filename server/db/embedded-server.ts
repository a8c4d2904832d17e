import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { ConfigError } from '../config.ts'
import { prepareCluster, serverPort, type Cluster } from './embedded-cluster.ts'
import {
  findPostmaster,
  spawnPostmaster,
  stopPostmaster,
  type ServerSettings,
  type StartedPostmaster,
} from './embedded-process.ts'

/**
 * PostgreSQL inside a data folder, for a service that was given no DATABASE_URL: a real server on a
 * private unix socket, started and stopped with its owner.
 *
 * Owner is whoever holds one advisory lock on that server. The kernel closes the connection of a
 * killed owner and so frees the lock; the server may outlive it and is then adopted by the next
 * owner. Only the owner stops the server. Who comes second finds the lock taken: a service says so
 * and fails, an operator's command joins in.
 */
export interface EmbeddedServer extends AsyncDisposable {
  /** For node-postgres: user and database `muster`, host the folder of the socket. */
  readonly url: string
}

export interface EmbeddedServerOptions extends ServerSettings {
  dataDir: string
  /** Takes a line at the moments that an operator wants to know of. */
  log?: ((line: string) => void) | undefined
}

/** Starts the server of a data folder for a service that shall be its only owner. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const cluster = await prepareCluster(options)
  const hold = await takeHold(cluster, options)
  if (hold.kind === 'owned') return ownServer(cluster, hold)
  throw new ConfigError(
    `Cannot start: another Muster (${hold.owner}) already uses the data folder ${cluster.dataDir}; ` +
      `stop it first, or set MUSTER_DATA_DIR to another folder`,
  )
}

/** For short commands: joins the server of a running service, else runs it until disposed. */
export async function openEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const cluster = await prepareCluster(options)
  const hold = await takeHold(cluster, options)
  if (hold.kind === 'owned') return ownServer(cluster, hold)
  return { url: hold.url, async [Symbol.asyncDispose]() {} }
}

type Hold =
  | { kind: 'owned'; url: string; lock: Client }
  /** `owner` is the application name of the session that has the lock. */
  | { kind: 'taken'; url: string; owner: string }

/** Any number of ours: the key of "this process owns this server" in the database `postgres`. */
const ownerLock = 0x6d757374
const patienceMs = 300_000

function ownServer(cluster: Cluster, { url, lock }: Hold & { kind: 'owned' }): EmbeddedServer {
  keepAlive(lock, false)
  return {
    url,
    async [Symbol.asyncDispose]() {
      keepAlive(lock, true)
      const postmaster = await findPostmaster(cluster.folder)
      if (postmaster !== undefined) await stopPostmaster(postmaster.pid)
      await lock.end().catch(() => {})
    },
  }
}

/** The lock's connection alone shall not keep a process running. */
function keepAlive(lock: Client, isWanted: boolean): void {
  // Both methods are pg's, only its types lack them.
  const client = lock as Client & { ref(): void; unref(): void }
  if (isWanted) client.ref()
  else client.unref()
}

async function takeHold(cluster: Cluster, options: EmbeddedServerOptions): Promise<Hold> {
  const patienceEnds = performance.now() + patienceMs
  let started: StartedPostmaster | undefined
  for (;;) {
    const running = await findPostmaster(cluster.folder)
    const answer = await askForLock(running?.socketDir || cluster.socketDir)
    if (typeof answer === 'object') return answer
    if (answer === 'absent' && running === undefined && started?.hasEnded !== false) {
      const failure = await started?.failure()
      if (failure !== undefined && !isOtherStart(failure)) {
        throw new ConfigError(
          `Cannot start: the embedded PostgreSQL in ${cluster.folder} fails: ${failure} ` +
            `(see ${cluster.logFile})`,
        )
      }
      started = await spawnPostmaster(cluster, options)
    }
    if (performance.now() > patienceEnds) {
      throw new ConfigError(
        `Cannot start: the embedded PostgreSQL in ${cluster.folder} does not become ready ` +
          `(see ${cluster.logFile})`,
      )
    }
    await delay(10)
  }
}

/** Two starts at once: the slower one's server ends with this, and its owner looks again. */
function isOtherStart(failure: string): boolean {
  return /lock file .* (already exists|is empty)|shared memory block/.test(failure)
}

async function askForLock(socketDir: string): Promise<Hold | 'absent' | 'busy'> {
  const url = serverUrl(socketDir, 'muster')
  const lock = new Client({
    connectionString: serverUrl(socketDir, 'postgres'),
    application_name: `process ${process.pid}`,
    connectionTimeoutMillis: 10_000,
  })
  lock.on('error', () => {})
  try {
    await lock.connect()
    const asked = await lock.query<{ locked: boolean }>(
      'select pg_try_advisory_lock($1) as locked',
      [ownerLock],
    )
    if (asked.rows[0]?.locked !== true) {
      const owner = await findOwner(lock)
      await lock.end()
      return owner === undefined ? 'busy' : { kind: 'taken', url, owner }
    }
    await makeDatabase(lock)
    // A server that is being stopped has let go of its owner's lock, but takes no new session.
    const probe = new Client(url)
    await probe.connect()
    await probe.end()
    return { kind: 'owned', url, lock }
  } catch (error) {
    await lock.end().catch(() => {})
    return serverState(error, socketDir)
  }
}

async function findOwner(client: Client): Promise<string | undefined> {
  const found = await client.query<{ owner: string }>(
    `select application_name as owner from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and objid = $1`,
    [ownerLock],
  )
  return found.rows[0]?.owner
}

async function makeDatabase(client: Client): Promise<void> {
  const found = await client.query(`select 1 from pg_database where datname = 'muster'`)
  if (found.rowCount === 0) await client.query('create database muster')
}

function serverState(error: unknown, socketDir: string): 'absent' | 'busy' {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'absent'
  if (code === 'EACCES') {
    throw new ConfigError(
      `Cannot start: the embedded database runs as another user, its socket in ${socketDir} ` +
        `is closed to this one`,
      { cause: error },
    )
  }
  // Starting, stopping or recovering, or gone in the middle of the talk.
  const isPassing =
    ['57P01', '57P02', '57P03', 'ECONNRESET', 'EPIPE'].includes(code ?? '') ||
    /timeout|terminated/i.test(message)
  if (isPassing) return 'busy'
  throw error
}

function serverUrl(socketDir: string, database: string): string {
  const host = encodeURIComponent(socketDir)
  return `postgresql://muster@localhost:${serverPort}/${database}?host=${host}&sslmode=disable`
}
