import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError } from '../config-error.ts'
import type { Cluster } from './cluster.ts'
import { askForHold, type Hold } from './lock.ts'
import {
  isAlive,
  isPostmasterOf,
  readPidFile,
  spawnPostmaster,
  stopPostmaster,
  type PidFile,
  type ServerSettings,
  type StartedPostmaster,
} from './process.ts'

/**
 * From a folder in any state to a server that answers: looks at the pid file, asks who is there,
 * starts or stops what has to be, and looks again. Nothing is concluded from a step that another
 * process can undo; only the lock counts.
 */
export interface HoldOptions extends ServerSettings {
  /** Port of a server that has to be started: only a part of its socket's name. */
  port: number
  log?: ((line: string) => void) | undefined
  signal?: AbortSignal | undefined
}

// Crash recovery replays at most some gigabytes of log.
const patienceMs = 300_000
const noticeMs = 3_000
const unreachableMs = 5_000

export async function takeHold(cluster: Cluster, options: HoldOptions): Promise<Hold> {
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

/** Tells who comes later whom to ask for when the server cannot be reached. */
export function ownerFile(cluster: Cluster): string {
  return join(cluster.dataDir, 'postgres.owner')
}

/** Of two starts at once the slower one's server ends on a lock; its owner then looks again. */
async function assertOtherStart(cluster: Cluster, started: StartedPostmaster): Promise<void> {
  const failure = await started.failure()
  const isOther = /lock file .* (already exists|is empty)|shared memory block/.test(failure)
  if (!isOther) throw startFailure(cluster, failure)
  await delay(100)
}

/**
 * A server of this folder runs, but its socket is gone (someone emptied the temporary folder) or out
 * of sight (a private temporary folder). Without an owner it is stopped; an owner is left in peace.
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
