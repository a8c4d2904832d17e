import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { ConfigError } from '../config-error.ts'
import { prepareCluster, type Cluster } from './cluster.ts'
import { askForHold, type Hold, type OwnedHold } from './lock.ts'
import { isAlive, isPostmasterOf, isStopping, readPidFile, spawnPostmaster } from './process.ts'
import { askToStop, choosePort, removeOldSockets, stopPostmaster } from './process.ts'
import type { PidFile, ServerSettings, StartedPostmaster } from './process.ts'

/**
 * PostgreSQL inside a data folder, for a service without a DATABASE_URL: a real server on a private
 * Unix socket, started and stopped with its owner.
 *
 * The owner is the process that holds an advisory lock on that server. The lock is released when
 * the process ends; the server may outlive a killed owner and is then adopted by the next one. Only
 * the owner stops the server, and restarts it after a crash. A second process finds the lock taken:
 * a service fails with a message, an operator's command joins the running server.
 */
export interface EmbeddedServer extends AsyncDisposable {
  /** For node-postgres: user and database `muster`, `host` is the folder of the socket. */
  readonly url: string
  /** Identifies the folder; a copy of it has another identity. */
  readonly home: string
}

export interface EmbeddedServerOptions extends ServerSettings {
  dataDir: string
  /** Fails instead of creating a database, for commands that copy or check an existing one. */
  mustBeThere?: boolean | undefined
  /** Receives messages for an operator. */
  log?: ((line: string) => void) | undefined
  /** Aborts the start. */
  signal?: AbortSignal | undefined
}

/** Starts the server of a data folder for a service, which must be its only owner. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  return enter(options, (dataDir, owner) => {
    throw new ConfigError(
      `Cannot start: another Muster (${owner}) already uses the data folder ${dataDir}; ` +
        `stop it first, or set MUSTER_DATA_DIR to another folder`,
    )
  })
}

/** For short commands: joins the server of a running service, or else runs it until disposed. */
export async function openEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  return enter(options, () => {})
}

async function enter(
  options: EmbeddedServerOptions,
  onTaken: (dataDir: string, owner: string) => void,
): Promise<EmbeddedServer> {
  const cluster = await prepareCluster(options)
  const hold = await takeHold(cluster, { ...options, port: choosePort() })
  if (hold.kind === 'owned') return await ownServer(cluster, options, hold)
  onTaken(cluster.dataDir, hold.owner)
  return { url: hold.url, home: await homeOf(cluster), async [Symbol.asyncDispose]() {} }
}

/** Properties that survive moving a folder, but not copying it. */
async function homeOf({ folder }: Cluster): Promise<string> {
  const { ino, birthtimeMs } = await stat(folder)
  return `${ino} ${Math.floor(birthtimeMs)}`
}

const regainPauseMs = 1_000

async function ownServer(
  cluster: Cluster,
  options: EmbeddedServerOptions,
  first: OwnedHold,
): Promise<EmbeddedServer> {
  const { url, port } = first
  const stopping = new AbortController()
  const { signal } = stopping
  let hold: OwnedHold | undefined = first
  let pid = await settleIn(cluster, first).catch(async (error: unknown) => {
    await stopOwned(cluster, first)
    throw error
  })
  // A process that exits without disposing, after a second signal or an error, leaves no server.
  const onExit = (): void => askToStop(pid)
  process.once('exit', onExit)
  const watching = watch()
  // Stopped by a signal from elsewhere, the server would keep its sessions and accept no new ones,
  // forever. So it is ended, and started again.
  const hurrying = setInterval(() => {
    void isStopping(cluster.folder).then((isAsked) => {
      if (isAsked && hold !== undefined) askToStop(pid)
    })
  }, 1_000)
  hurrying.unref()

  return {
    url,
    home: await homeOf(cluster),
    async [Symbol.asyncDispose]() {
      stopping.abort()
      clearInterval(hurrying)
      if (hold !== undefined) await stopOwned(cluster, hold)
      await watching
      process.off('exit', onExit)
    },
  }

  /** The lock's session ends when a crash ends all sessions, or the server stops: restores both. */
  async function watch(): Promise<void> {
    while (hold !== undefined) {
      await hold.ended
      hold = undefined
      pid = -1
      if (signal.aborted) return
      options.log?.('The embedded PostgreSQL ended unexpectedly; starting it again')
      hold = await regain()
      // It was disposed meanwhile, when there was nothing to stop.
      if (hold !== undefined && signal.aborted) await stopOwned(cluster, hold)
    }
  }

  async function regain(): Promise<OwnedHold | undefined> {
    let lastLine = ''
    const logOnce = (line: string): void => {
      if (line !== lastLine) options.log?.(line)
      lastLine = line
    }
    while (!signal.aborted) {
      try {
        const found = await takeHold(cluster, { ...options, port, signal })
        if (found.kind === 'owned' && found.url === url) {
          pid = await settleIn(cluster, found).catch(async (error: unknown) => {
            // Otherwise the next try would find the lock taken by this session.
            await found.lock.end().catch(() => {})
            throw error
          })
          return found
        }
        // Connection pools have one address: a server at another one, left by another process,
        // cannot be used.
        if (found.kind === 'owned') await stopOwned(cluster, found)
        else logOnce(`Another Muster (${found.owner}) has taken over ${cluster.dataDir}`)
      } catch (error) {
        if (!signal.aborted) logOnce(String(error))
      }
      await delay(regainPauseMs, undefined, { signal }).catch(() => {})
    }
    return undefined
  }
}

/** Returns the pid of the server. */
async function settleIn(cluster: Cluster, { lock, port }: OwnedHold): Promise<number> {
  keepAlive(lock, false)
  await writeFile(ownerFile(cluster), `${process.pid}\n`, { mode: 0o600 })
  await removeOldSockets(cluster, port)
  return (await readPidFile(cluster.folder))?.pid ?? -1
}

/** Stops the server while its lock is held, so that no other process adopts it meanwhile. */
async function stopOwned(cluster: Cluster, { lock }: OwnedHold): Promise<void> {
  keepAlive(lock, true)
  await rm(ownerFile(cluster), { force: true })
  const postmaster = await readPidFile(cluster.folder)
  if (postmaster !== undefined) await stopPostmaster(postmaster.pid, cluster.folder)
  await lock.end().catch(() => {})
}

/** The lock's connection alone must not keep a process running. */
function keepAlive(lock: Client, isWanted: boolean): void {
  // pg has both methods, but not in its types.
  const client = lock as Client & { ref(): void; unref(): void }
  if (isWanted) client.ref()
  else client.unref()
}

type HoldOptions = Omit<EmbeddedServerOptions, 'dataDir'> & {
  /** Port for a server that has to be started: only a part of its socket's name. */
  port: number
}

// Crash recovery replays at most some gigabytes of log.
const patienceMs = 300_000
const noticeMs = 3_000
const unreachableMs = 5_000

/**
 * From a folder in any state to a running server: reads the pid file, asks the server, starts or
 * stops what is necessary, and checks again. No conclusion is drawn from a step that another
 * process can undo; only the lock counts.
 */
async function takeHold(cluster: Cluster, options: HoldOptions): Promise<Hold> {
  const beganAt = performance.now()
  let isNoticed = false
  let unreachableSince: number | undefined
  let started: StartedPostmaster | undefined
  try {
    for (;;) {
      options.signal?.throwIfAborted()
      const left = await readPidFile(cluster.folder)
      const answer = left === undefined ? 'absent' : await askForHold(left)
      if (typeof answer === 'object') return answer
      const isRunning = left !== undefined && (await isPostmasterOf(left.pid, cluster.folder))
      if (answer === 'absent' && isRunning) {
        unreachableSince ??= performance.now()
        if (performance.now() - unreachableSince > unreachableMs) await stopLost(cluster, left)
      } else if (answer === 'absent' && started?.hasEnded !== false) {
        if (started !== undefined) await assertOtherStart(cluster, started)
        started = await spawnPostmaster(cluster, options)
      }
      const waitedMs = performance.now() - beganAt
      if (waitedMs > patienceMs) throw startFailure(cluster, 'it does not become ready')
      if (waitedMs > noticeMs && !isNoticed) {
        options.log?.(`Waiting for the embedded PostgreSQL in ${cluster.folder} to become ready`)
        isNoticed = true
      }
      await delay(10)
    }
  } catch (error) {
    if (started?.hasEnded === false) await stopPostmaster(started.pid, cluster.folder)
    throw error
  }
}

/** A file that names the owner, for messages of processes that cannot reach the server. */
function ownerFile(cluster: Cluster): string {
  return join(cluster.dataDir, 'postgres.owner')
}

/** Of two concurrent starts, the slower server fails on a lock; its owner then checks again. */
async function assertOtherStart(cluster: Cluster, started: StartedPostmaster): Promise<void> {
  const failure = await started.failure()
  const isOther = /lock file .* (already exists|is empty)|shared memory block/.test(failure)
  if (!isOther) throw startFailure(cluster, failure)
  await delay(100)
}

/**
 * A server of this folder is running, but its socket is gone (the temporary folder was emptied) or
 * invisible (a private temporary folder). Without an owner it is stopped; a server with an owner is
 * left alone.
 */
async function stopLost(cluster: Cluster, { pid, socketDir }: PidFile): Promise<void> {
  const owner = Number.parseInt(await readFile(ownerFile(cluster), 'utf8').catch(() => ''), 10)
  if (isAlive(owner) && owner !== process.pid) {
    throw new ConfigError(
      `Cannot start: the data folder ${cluster.dataDir} is used by process ${owner}, and the socket ` +
        `of its PostgreSQL (process ${pid}) in ${socketDir} cannot be reached; stop both first`,
    )
  }
  await stopPostmaster(pid, cluster.folder)
}

function startFailure(cluster: Cluster, why: string): ConfigError {
  return new ConfigError(
    `Cannot start: the embedded PostgreSQL in ${cluster.folder} fails: ${why} ` +
      `(its log is ${cluster.logFile})`,
  )
}
