import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startMuster, type MusterProcess } from '../../rig/muster-process.ts'
import type { ProcessRole } from '../../server/start/app.ts'
import { startDatabaseProxy, type DatabaseProxy } from './database-proxy.ts'

/** A place for one process of Muster, which is started again whenever it ends, as a supervisor does. */
export interface Slot extends AsyncDisposable {
  name: string
  role: ProcessRole
  /** Its way to the database. */
  proxy: DatabaseProxy
  /** The process, unless it is down or paused. */
  up(): MusterProcess | undefined
  /** SIGKILL, or SIGTERM. */
  end(how: 'kill' | 'stop'): Promise<void>
  /** SIGSTOP, and SIGCONT after the time. */
  pause(ms: number): void
  /** Goes on at once. */
  unpause(): void
}

export interface SlotOptions {
  name: string
  role: ProcessRole
  folder: string
  /** Of the embedded server itself. */
  databaseUrl: string
  env: Record<string, string>
  /** A process ended that nobody ended; gets what it logged last. */
  onUnexpectedEnd: (name: string, log: string) => void
  /** It could not start, as while its database is away. */
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
      // Nothing of what it still does is looked at.
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
 * A small shell stops the process and lets it go on when its pipe closes: also when this process is
 * killed, for a stopped process cannot see that its parent is gone. Returns the way to go on.
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
