import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { link, open, readFile, rename, rm, truncate } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { serverPort, type Cluster } from './embedded-cluster.ts'
import { programEnv, run } from './embedded-user.ts'

/**
 * The process of the embedded PostgreSQL: found through its pid file, started in a session of its
 * own (Ctrl-C in the terminal is for Muster alone), stopped by signal. Every look at a pid asks
 * whether that process is a postgres of this very folder, because pids are reused.
 */
export interface Postmaster {
  pid: number
  socketDir: string
  isReady: boolean
}

/** A postgres that this process started; `failure` tells why once it has ended. */
export interface StartedPostmaster {
  hasEnded: boolean
  failure(): Promise<string>
}

export interface ServerSettings {
  fsync?: boolean | undefined
  settings?: Record<string, string> | undefined
}

const longestLogBytes = 10 * 1024 * 1024
const fastShutdownMs = 60_000

/** The running postgres of this folder, whoever started it. */
export async function findPostmaster(folder: string): Promise<Postmaster | undefined> {
  const text = await readFile(pidFile(folder), 'utf8').catch(() => '')
  // Lines: pid, folder, start time, port, socket folder, listen address, shared memory, status.
  const lines = text.split('\n')
  const pid = Number.parseInt(lines[0] ?? '', 10)
  if (!(await isPostmasterOf(pid, folder))) return undefined
  return { pid, socketDir: lines[4] ?? '', isReady: lines[7]?.trim() === 'ready' }
}

export async function spawnPostmaster(
  cluster: Cluster,
  options: ServerSettings,
): Promise<StartedPostmaster> {
  await setAsideStale(pidFile(cluster.folder), cluster.folder)
  await setAsideStale(join(cluster.socketDir, `.s.PGSQL.${serverPort}.lock`), cluster.folder)
  await using log = await open(cluster.logFile, 'a', 0o600)
  let { size } = await log.stat()
  if (size > longestLogBytes) {
    await truncate(cluster.logFile)
    size = 0
  }
  const settings = Object.entries({ ...serverSettings(cluster, options), ...options.settings })
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
    hasEnded: false,
    async failure() {
      if (spawnError !== undefined) return spawnError.message
      const written = (await readFile(cluster.logFile)).subarray(size).toString()
      return written.match(/(?<=FATAL: +).*/)?.[0] ?? (written.trim() || 'it ended')
    },
  }
  child.on('error', (error) => {
    spawnError = error
    started.hasEnded = true
  })
  child.on('exit', () => (started.hasEnded = true))
  return started
}

/** Fast shutdown: sessions end, a checkpoint is written, the process is gone when this returns. */
export async function stopPostmaster(pid: number): Promise<void> {
  kill(pid, 'SIGINT')
  const patienceEnds = performance.now() + fastShutdownMs
  let isUrgent = false
  while (isAlive(pid)) {
    if (!isUrgent && performance.now() > patienceEnds) {
      // Immediate shutdown: the next start replays the log, nothing committed is lost.
      kill(pid, 'SIGQUIT')
      isUrgent = true
    }
    await delay(10)
  }
}

export function isAlive(pid: number): boolean {
  return pid > 0 && kill(pid, 0)
}

function serverSettings(
  cluster: Cluster,
  { fsync = true }: ServerSettings,
): Record<string, string> {
  return {
    port: String(serverPort),
    listen_addresses: '',
    // A quoted name in a list, so that commas and quotes in a path stay what they are.
    unix_socket_directories: `"${cluster.socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    max_connections: '100',
    shared_buffers: '128MB',
    max_wal_size: '1GB',
    jit: 'off',
    autovacuum_naptime: '10s',
    // Parallel queries need /dev/shm, which containers keep small; nothing here needs them.
    max_parallel_workers_per_gather: '0',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...(fsync ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
}

/**
 * PostgreSQL refuses to start when the pid of a left pid file is alive, even as another program.
 * Such a file is moved away. What was moved is looked at again, and put back if another start has
 * written it meanwhile; PostgreSQL's lock on the folder's shared memory guards that moment.
 */
async function setAsideStale(file: string, folder: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return
  const pid = Number.parseInt(text, 10)
  if (!isAlive(pid) || (await isPostmasterOf(pid, folder))) return
  const aside = `${file}.${randomUUID()}`
  await rename(file, aside)
  if ((await readFile(aside, 'utf8')) !== text) await link(aside, file).catch(() => {})
  await rm(aside, { force: true })
}

async function isPostmasterOf(pid: number, folder: string): Promise<boolean> {
  if (!isAlive(pid)) return false
  if (process.platform === 'linux') {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    const [program, ...args] = commandLine.split('\0')
    return basename(program ?? '') === 'postgres' && args.includes(folder)
  }
  const { output } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
  return output.includes(`postgres -D ${folder} -c`)
}

/** False when there is no such process. */
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
