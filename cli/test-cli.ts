import { spawn, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** For tests only: `muster` as a process of its own, in a folder of its own. */
export interface Finished {
  /** Exit code, or the signal that ended the process. */
  code: number | NodeJS.Signals
  stdout: string
  stderr: string
}

export interface Started {
  /** Everything so far. */
  output: { stdout: string; stderr: string }
  finished: Promise<Finished>
  /** The match in stdout and stderr, as soon as there is one. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  /** Types into stdin, where it is kept open. */
  type(text: string): void
  kill(signal: NodeJS.Signals): void
}

export interface CliOptions {
  env?: Record<string, string>
  cwd?: string
  /** Text for stdin; by default stdin is empty. */
  stdin?: string
  /** Keeps stdin open for more. */
  keepStdin?: boolean
  /** In place of `node cli/main.ts`. */
  command?: (args: string[]) => [string, string[]]
}

export const mainFile = join(import.meta.dirname, 'main.ts')
const patienceMs = 60_000

export function startMuster(args: string[], options: CliOptions = {}): Started {
  const [file, fileArgs] = options.command?.(args) ?? [process.execPath, [mainFile, ...args]]
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(file, fileArgs, {
    // The settings of whoever runs the tests do not count.
    env: { PATH, HOME, ...options.env },
    cwd: options.cwd ?? tmpdir(),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  const checks = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
      for (const check of checks) check()
    })
  }
  // A command that does not read its input is no failure.
  child.stdin.on('error', () => {})
  child.stdin.write(options.stdin ?? '')
  if (options.keepStdin !== true) child.stdin.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code: code ?? (signal as NodeJS.Signals), ...output })
      for (const check of checks) check()
    })
  })
  return {
    output,
    finished,
    type: (text) => child.stdin.write(text),
    kill: (signal) => child.kill(signal),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const match = pattern.exec(`${output.stdout}\n${output.stderr}`)
          const isOver = child.exitCode !== null || child.signalCode !== null
          if (match === null && !isOver) return
          checks.delete(check)
          if (match === null) reject(new Error(`ended without ${pattern}: ${output.stderr}`))
          else resolve(match)
        }
        checks.add(check)
        check()
      }),
  }
}

export function muster(args: string[], options: CliOptions = {}): Promise<Finished> {
  return startMuster(args, options).finished
}

/** Whether this machine can give a command a terminal of its own: the `script` of util-linux. */
const terminalMaker = 'script'
export const hasTerminals = spawnSync(terminalMaker, ['--version']).status === 0

/** `muster` on a terminal, where somebody types; stdout and stderr are both in `stdout`. */
export function startOnTerminal(args: string[], options: CliOptions = {}): Started {
  const command = (args: string[]): [string, string[]] => {
    const line = [process.execPath, mainFile, ...args].map((word) => `'${word}'`).join(' ')
    return [terminalMaker, ['-qec', line, '/dev/null']]
  }
  const env = { TERM: 'dumb', ...options.env }
  return startMuster(args, { ...options, command, keepStdin: true, env })
}

/** The one JSON document of a command. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
export function json(text: string): any {
  return JSON.parse(text)
}

/** A folder to work in; an embedded PostgreSQL in it may be another user's. */
export async function makeFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'muster-cli-'))
  await chmod(path, 0o711)
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
