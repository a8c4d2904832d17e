import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startMuster, type MusterProcess } from '../../rig/muster-process.ts'
import type { ProcessRole } from '../../server/start/app.ts'
import { startDatabaseProxy, type DatabaseProxy } from './database-proxy.ts'

/** A slot for one process of Muster, which is restarted whenever it ends, as by a supervisor. */
export interface Slot extends AsyncDisposable {
  name: string
  role: ProcessRole
  /** Its connection to the database. */
  proxy: DatabaseProxy
  /** The process, unless it is down or paused. */
  up(): MusterProcess | undefined
  /** SIGKILL, or SIGTERM. */
  end(how: 'kill' | 'stop'): Promise<void>
  /** SIGSTOP, and SIGCONT after this time. */
  pause(ms: number): void
  /** Continues at once. */
  unpause(): void
}

export interface SlotOptions {
  name: string
  role: ProcessRole
  folder: string
  /** URL of the server itself. */
  databaseUrl: string
  env: Record<string, string>
  /** Called when a process ended by itself, with its last log lines. */
  onUnexpectedEnd: (name: string, log: string) => void
  /** Called when it could not start, for example while its database is down. */
  onFailedStart: (name: string, error: unknown) => void
}

const restartPauseMs = 500
const skewedClock = fileURLToPath(new URL('./skewed-clock.ts', import.meta.url))

export async function openSlot(options: SlotOptions): Promise<Slot> {
  const { name, role, folder } = options
  const proxy = await startDatabaseProxy(options.databaseUrl)
  const closing = new AbortController()
  let current: MusterProcess | undefined
  let ending: MusterProcess | undefined
  let unpause: (() => void) | undefined
  const running = keepRunning()

  return {
    name,
    role,
    proxy,
    up: () => (unpause === undefined ? current : undefined),
    async end(how) {
      ending = current
      await current?.[how]()
    },
    pause(ms) {
      if (current === undefined || unpause !== undefined) return
      const resume = pauseProcess(current.pid)
      const timer = setTimeout(() => unpause?.(), ms)
      unpause = () => {
        clearTimeout(timer)
        unpause = undefined
        resume()
      }
    },
    unpause: () => unpause?.(),
    async [Symbol.asyncDispose]() {
      closing.abort()
      unpause?.()
      ending = current
      // Its remaining work is not checked.
      await current?.kill()
      await running
      await proxy[Symbol.asyncDispose]()
    },
  }

  async function keepRunning(): Promise<void> {
    while (!closing.signal.aborted) {
      const started = await start()
      if (started === undefined) {
        await delay(restartPauseMs)
        continue
      }
      current = started
      if (closing.signal.aborted) await started.kill()
      await started.exited
      current = undefined
      if (ending !== started) options.onUnexpectedEnd(name, (await started.readLog()).slice(-2_000))
    }
  }

  function start(): Promise<MusterProcess | undefined> {
    const env = { ...options.env, DATABASE_URL: proxy.url }
    const nodeArgs = ['--import', skewedClock]
    return startMuster({ role, folder, env, nodeArgs }).catch((error: unknown) => {
      options.onFailedStart(name, error)
      return undefined
    })
  }
}

/**
 * A small shell pauses the process and continues it when its pipe closes, even if this process is
 * killed, because a paused process cannot notice that. Returns a function to continue it.
 */
function pauseProcess(pid: number): () => void {
  const script = 'kill -STOP "$1" && cat >/dev/null; kill -CONT "$1"'
  const shell = spawn('/bin/sh', ['-c', script, 'sh', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.unref()
  return () => void shell.stdin.end()
}
