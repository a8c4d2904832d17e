import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { PeerTask } from '../bench/peers/peer-program.ts'
import { toAsk } from './child-question.ts'
import type { Site, StartContender } from './contender.ts'
import { measuredNodeArgs } from './muster-process.ts'

/** A program of `bench/peers` in a process of its own. */
interface PeerProcess extends AsyncDisposable {
  pid: number
  /**
   * Fails if a run ends incorrectly. Returns how many of the runs have no output, 0 except for the
   * task `check`.
   */
  work(task: PeerTask): Promise<number>
  /** Resolves when the runs of a killed process are completed. */
  recover(): Promise<number>
  /** Live bytes after a full garbage collection. */
  readMemory(): Promise<number>
  /** SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>
}

const installMs = 5 * 60_000
const readyMs = 60_000

/** Installs the packages of a peer, if it has any, by its lock file. */
export async function installPeer(name: string): Promise<void> {
  const folder = peerFolder(name)
  if (!existsSync(join(folder, 'package.json'))) return
  // npm writes this file last.
  const installed = statSync(join(folder, 'node_modules', '.package-lock.json'), {
    throwIfNoEntry: false,
  })
  const locked = statSync(join(folder, 'package-lock.json'))
  if (installed !== undefined && installed.mtimeMs >= locked.mtimeMs) return
  console.error(`npm ci in bench/peers/${name} …`)
  try {
    await promisify(execFile)('npm', ['ci', '--ignore-scripts'], {
      cwd: folder,
      env: { ...process.env, PATH: nodeFirst() },
      timeout: installMs,
    })
  } catch (error) {
    throw new Error(
      `Cannot install the packages of bench/peers/${name}: npm ci failed there. The npm registry ` +
        `must be within reach the first time. npm said:\n${(error as { stderr?: string }).stderr}`,
      { cause: error },
    )
  }
}

/** A peer starts its runs in its own process, without an API in front. */
export function peerContender(name: string, env?: Record<string, string>): StartContender {
  return async (site) => {
    const peer = await startPeer(name, site, env)
    return {
      pid: peer.pid,
      async play(played) {
        await peer.work({ kind: 'run', ...played })
      },
      async recover() {
        await peer.recover()
      },
      countLost: (count) => peer.work({ kind: 'check', firstTag: 0, count, open: 8 }),
      waiting: {
        async pause(played) {
          await peer.work({ kind: 'pause', ...played })
        },
        async answer(played) {
          await peer.work({ kind: 'answer', ...played })
        },
      },
      readMemory: () => peer.readMemory(),
      kill: () => peer.kill(),
      [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
    }
  }
}

async function startPeer(
  name: string,
  { store, modelUrl, folder }: Site,
  env: Record<string, string> = {},
): Promise<PeerProcess> {
  const program = join(peerFolder(name), 'main.ts')
  const logFile = join(folder, `${name}.log`)
  await using log = await open(logFile, 'w')
  const child = spawn(process.execPath, [...measuredNodeArgs, program], {
    cwd: peerFolder(name),
    env: { PATH: nodeFirst(), ...store.env, MODEL_URL: modelUrl, ...env },
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  })
  const exited = once(child, 'exit')
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  }
  const ready = once(child, 'message', { signal: AbortSignal.timeout(readyMs) })
  const failed = exited.then(async () => {
    throw new Error(`The peer ${name} ended at its start:\n${await readFile(logFile, 'utf8')}`)
  })
  try {
    await Promise.race([ready, failed])
  } catch (error) {
    await end()
    throw error
  } finally {
    failed.catch(() => {})
  }
  const ask = toAsk(child)
  return {
    pid: child.pid as number,
    work: ask,
    recover: () => ask({ kind: 'recover' }),
    readMemory: () => ask({ kind: 'memory' }),
    kill: end,
    [Symbol.asyncDispose]: end,
  }
}

export function peerFolder(name: string): string {
  return fileURLToPath(new URL(`../bench/peers/${name}`, import.meta.url))
}

/** Puts the pinned Node first: npm picks packages that fit the Node it runs on. */
function nodeFirst(): string {
  return [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)
}
