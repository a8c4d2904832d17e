import { spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { link, open, readdir, readFile, rename, rm, stat, truncate } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { socketName, type Cluster } from './cluster.ts'
import { peerSettings } from './peers.ts'
import { programEnv, run } from './user.ts'

/**
 * The process of the embedded PostgreSQL: found through its pid file, started in a session of its
 * own (so that Ctrl-C in the terminal reaches only Muster), stopped by a signal. Each check of a
 * pid verifies that the process is a postgres of this folder, because pids are reused.
 */
export interface SocketAddress {
  socketDir: string
  port: number
}

export interface PidFile extends SocketAddress {
  pid: number
}

/** A postgres that this process started; `failure` has the reason once it has ended. */
export interface StartedPostmaster {
  /** -1 if it could not be started. */
  pid: number
  hasEnded: boolean
  failure(): Promise<string>
}

export interface ServerSettings {
  fsync?: boolean | undefined
  settings?: Record<string, string> | undefined
}

const longestLogBytes = 10 * 1024 * 1024
const fastShutdownMs = 60_000

/**
 * The pid file of the postgres that ran last in this folder, running or not. Undefined while it is
 * being written, and if the file came with a copy of another folder.
 */
export async function readPidFile(folder: string): Promise<PidFile | undefined> {
  const text = await readFile(pidFile(folder), 'utf8').catch(() => '')
  // The lines are: pid, folder, start time, port, socket folder, listen address, shared memory,
  // status.
  const [pid, ofFolder, , port, socketDir] = text.split('\n')
  if (ofFolder !== folder || !socketDir) return undefined
  return { pid: Number(pid), port: Number(port), socketDir }
}

/**
 * Whether the server was told to stop and is waiting for its sessions to end: it accepts no new
 * ones.
 */
export async function isStopping(folder: string): Promise<boolean> {
  const text = await readFile(pidFile(folder), 'utf8').catch(() => '')
  return text.split('\n')[7]?.trim() === 'stopping'
}

/**
 * There is no TCP port; the number is only part of the socket's name. A new one for each start
 * prevents a late server of a deleted and recreated folder from removing the socket of its
 * successor.
 */
export function choosePort(): number {
  return randomInt(10_000, 65_536)
}

/**
 * Removes sockets of killed servers. Only the owner may call this, because then all other sockets
 * are dead.
 */
export async function removeOldSockets(cluster: Cluster, port: number): Promise<void> {
  const current = socketName(port)
  for (const name of await readdir(cluster.socketDir)) {
    if (name === current || name === `${current}.lock` || !name.startsWith('.s.PGSQL.')) continue
    await rm(join(cluster.socketDir, name), { force: true })
  }
}

export async function spawnPostmaster(
  cluster: Cluster,
  options: ServerSettings & { port: number },
): Promise<StartedPostmaster> {
  await setAsideStale(pidFile(cluster.folder), cluster.folder)
  await using log = await open(cluster.logFile, 'a', 0o600)
  let { size } = await log.stat()
  if (size > longestLogBytes) {
    await truncate(cluster.logFile)
    size = 0
  }
  const settings = Object.entries({
    ...serverSettings(cluster, options),
    ...(await peerSettings(cluster)),
    ...options.settings,
  })
  const child = spawn(
    cluster.postgresProgram,
    ['-D', cluster.folder, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      cwd: '/',
      env: programEnv(),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      ...cluster.user,
    },
  )
  child.unref()
  let spawnError: Error | undefined
  const started: StartedPostmaster = {
    pid: child.pid ?? -1,
    hasEnded: false,
    async failure() {
      if (spawnError !== undefined) return spawnError.message
      const written = (await readFile(cluster.logFile)).subarray(size).toString()
      const [, fatal, detail = ''] = /FATAL: +(.*)(?:\n.*DETAIL: +(.*))?/.exec(written) ?? []
      return fatal === undefined ? written.trim() || 'it ended' : `${fatal} ${detail}`.trim()
    },
  }
  child.on('error', (error) => {
    spawnError = error
    started.hasEnded = true
  })
  child.on('exit', () => (started.hasEnded = true))
  return started
}

/** Starts a fast shutdown, without checking that the process is still the server. */
export function askToStop(pid: number): void {
  if (pid > 0) kill(pid, 'SIGINT')
}

/**
 * Fast shutdown: sessions end, a checkpoint is written, and the process has ended when this
 * resolves.
 */
export async function stopPostmaster(pid: number, folder: string): Promise<void> {
  let isUrgent = false
  const beganAt = performance.now()
  if (await isPostmasterOf(pid, folder)) kill(pid, 'SIGINT')
  while (await isPostmasterOf(pid, folder)) {
    if (!isUrgent && performance.now() - beganAt > fastShutdownMs) {
      // Immediate shutdown: the next start replays the log, nothing committed is lost.
      kill(pid, 'SIGQUIT')
      isUrgent = true
    }
    await delay(10)
  }
}

/** Whether the process with this pid is the postgres of this folder. */
export async function isPostmasterOf(pid: number, folder: string): Promise<boolean> {
  if (!isAlive(pid)) return false
  if (process.platform === 'linux') {
    // Empty for a zombie process.
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    const [program = '', ...args] = commandLine.split('\0')
    return basename(program) === 'postgres' && args.includes(folder)
  }
  const { output } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
  return output.includes(`postgres -D ${folder} -c`)
}

export function isAlive(pid: number): boolean {
  return pid > 0 && kill(pid, 0)
}

function serverSettings(
  cluster: Cluster,
  { port, fsync = true }: ServerSettings & { port: number },
): Record<string, string> {
  return {
    port: String(port),
    listen_addresses: '',
    // Quoted, because the setting is a list and a path may contain commas and quotes.
    unix_socket_directories: `"${cluster.socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    max_connections: '100',
    shared_buffers: '128MB',
    max_wal_size: '1GB',
    jit: 'off',
    autovacuum_naptime: '10s',
    // Parallel queries need /dev/shm, which is small in containers; nothing here needs them.
    max_parallel_workers_per_gather: '0',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...(fsync ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
}

/**
 * PostgreSQL refuses to start if its pid file names a live process, even of another program, or is
 * empty, as after a full disk. Such a file is moved away, checked again, and put back if another
 * start has written it in between; PostgreSQL's lock on the folder's shared memory guards that
 * moment.
 */
async function setAsideStale(file: string, folder: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return
  const pid = Number.parseInt(text, 10)
  const isStale =
    text === ''
      ? Date.now() - (await stat(file)).mtimeMs > 5_000
      : isAlive(pid) && !(await isPostmasterOf(pid, folder))
  if (!isStale) return
  const aside = `${file}.${randomUUID()}`
  await rename(file, aside)
  if ((await readFile(aside, 'utf8')) !== text) await link(aside, file).catch(() => {})
  await rm(aside, { force: true })
}

/** False if the process does not exist. */
function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function pidFile(folder: string): string {
  return join(folder, 'postmaster.pid')
}
