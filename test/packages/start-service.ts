import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { until } from '../../rig/until.ts'
import { userEnv } from './install.ts'

const readyMs = 60_000
const goneMs = 30_000

/** A service that a test started in processes of its own. */
interface Service extends AsyncDisposable {
  url: string
  /** Sends the signal; resolves with the exit code of the first process once all have ended. */
  stop(signal: NodeJS.Signals, target: 'first' | 'second' | 'group'): Promise<number | null>
}

export async function start(
  cwd: string,
  [program = '', ...args]: string[],
  env: Record<string, string> = {},
): Promise<Service> {
  const child = spawn(program, args, {
    cwd,
    env: userEnv({ PORT: '0', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, as in a terminal.
    detached: true,
  })
  const pid = child.pid as number
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  let url: string | undefined
  let pids: number[] = [pid]
  const killAll = async (): Promise<void> => {
    for (const one of await findAlive(pids)) process.kill(one, 'SIGKILL')
  }
  try {
    await until('the service is ready', readyMs, () => {
      if (child.exitCode !== null) throw new Error(`It ended at its start:\n${output}`)
      url = /"url":"([^"]+)","msg":"ready"/.exec(output)?.[1]
      return url !== undefined
    })
    pids = [pid, ...(await findDescendants(pid))]
  } catch (error) {
    await killAll()
    throw error
  }
  return {
    url: url ?? '',
    async stop(signal, target) {
      assert.ok(pids.length > 2, 'the service and its database are known')
      const targets = { first: pid, second: pids[1] as number, group: -pid }
      process.kill(targets[target], signal)
      const left = async () => await findAlive(pids)
      await until(
        `all processes are gone after ${signal} to the ${target}`,
        goneMs,
        async () => (await left()).length === 0,
        100,
      ).catch((error: unknown) => {
        throw new Error(`Left behind:\n${output}`, { cause: error })
      })
      return child.exitCode
    },
    [Symbol.asyncDispose]: killAll,
  }
}

/** All descendants of a process, parents before their children. */
async function findDescendants(pid: number): Promise<number[]> {
  const table = await listProcesses()
  const found = [pid]
  for (const parent of found) {
    found.push(...table.filter((one) => one.parent === parent).map((one) => one.pid))
  }
  return found.slice(1)
}

async function findAlive(pids: number[]): Promise<number[]> {
  const table = await listProcesses()
  return table.filter((one) => pids.includes(one.pid) && !one.isDead).map((one) => one.pid)
}

async function listProcesses(): Promise<{ pid: number; parent: number; isDead: boolean }[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,stat='])
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, state]) => ({
      pid: Number(pid),
      parent: Number(parent),
      isDead: state?.startsWith('Z') === true,
    }))
}
