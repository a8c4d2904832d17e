import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProcessRole } from '../server/start/app.ts'
import { toAsk } from './child-question.ts'
import { until } from './until.ts'

/** Muster in a process of its own, started like by an operator. */
export interface MusterProcess extends AsyncDisposable {
  pid: number
  /** Address of the API; empty for a worker. */
  url: string
  /** Its log so far, one JSON object per line. */
  readLog(): Promise<string>
  /** Live bytes after a full garbage collection. */
  readMemory(): Promise<number>
  /** Timers, sockets and the like that keep it alive. */
  countResources(): Promise<number>
  /** Resolves when the process has ended, for whatever reason. */
  exited: Promise<void>
  /** SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>
  /** SIGTERM; resolves when the process has ended. */
  stop(): Promise<void>
}

export interface MusterOptions {
  role?: ProcessRole
  /** Folder for its log. */
  folder: string
  /** Settings as documented; nothing else of this process's environment is passed on. */
  env: Record<string, string>
  nodeArgs?: string[]
  /** Limit of open files and sockets. */
  openFiles?: number
}

export const adminKey = `mst_bench_${randomBytes(24).toString('hex')}`

/** Far longer than it takes, for busy machines. */
const readyMs = 90_000
const program = fileURLToPath(new URL('../cli/main.ts', import.meta.url))
/** Node's arguments for a measured process: those of `npm start`, and the preload. */
export const measuredNodeArgs = [
  '--max-semi-space-size=64',
  '--import',
  new URL('./preload.ts', import.meta.url).href,
]

export async function startMuster(options: MusterOptions): Promise<MusterProcess> {
  const { role = 'all', folder, env, nodeArgs = [], openFiles } = options
  const logFile = join(folder, `${role}-${randomBytes(4).toString('hex')}.log`)
  await using log = await open(logFile, 'a')
  const args = [...measuredNodeArgs, ...nodeArgs, program, 'serve', '--role', role]
  const limited = ['-c', 'ulimit -n "$0" && exec "$@"', String(openFiles), process.execPath]
  const child = spawn(
    openFiles === undefined ? process.execPath : 'sh',
    openFiles === undefined ? args : [...limited, ...args],
    {
      // A folder without a developer's .env.
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        PORT: '0',
        MUSTER_ADMIN_KEY: adminKey,
        MUSTER_RATE_LIMIT: '0',
        ...env,
      },
      stdio: ['ignore', log.fd, log.fd, 'ipc'],
    },
  )
  const exited = once(child, 'exit')
  const ask = toAsk(child)
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null
  const readLog = (): Promise<string> => readFile(logFile, 'utf8')
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!hasExited()) child.kill(signal)
    await exited
  }
  let url = ''
  try {
    await until('Muster is ready', readyMs, async () => {
      if (hasExited()) throw new Error(`Muster ended at its start:\n${await readLog()}`)
      const line = (await readLog()).split('\n').find((one) => one.includes('"msg":"ready"'))
      if (line === undefined) return false
      url = (JSON.parse(line) as { url?: string }).url ?? ''
      return true
    })
  } catch (error) {
    await end('SIGKILL')
    throw error
  }
  return {
    pid: child.pid as number,
    url,
    readLog,
    readMemory: () => ask({ kind: 'memory' }),
    countResources: () => ask({ kind: 'resources' }),
    exited: exited.then(() => {}),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  }
}
