import { spawn, spawnSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { chmod, mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { after } from 'node:test'
import { runCli } from './program.ts'
import { runInShell, type Shell } from './shell.ts'

/** For tests only: runs `muster` inside the test's process, or as a process of its own. */
export interface Finished {
  /** The exit code, or the signal that ended the process. */
  code: number | NodeJS.Signals
  stdout: string
  stderr: string
}

export interface Started {
  /** What the command has written so far. */
  output: { stdout: string; stderr: string }
  finished: Promise<Finished>
  /** Resolves with the match as soon as stdout or stderr contains one. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  kill(signal: NodeJS.Signals): void
}

interface Typing {
  /** Types into stdin; needs `keepStdin` or a terminal. */
  type(text: string): void
}

export interface CliOptions {
  env?: Record<string, string>
  cwd?: string
  /** Text for stdin; by default stdin is empty. */
  stdin?: string
}

interface Spawning {
  /** Keeps stdin open, so that the test can type more. */
  keepStdin?: boolean
  /** Runs this command in place of `node cli/main.ts`. */
  command?: (args: string[]) => [string, string[]]
}

export const mainFile = join(import.meta.dirname, 'main.ts')
const patienceMs = 60_000
const noProfiles = { XDG_CONFIG_HOME: '/dev/null' }

const running = new Set<EventEmitter>()
// A command that a failed test left running would keep the process alive.
after(() => {
  for (const signals of running) signals.emit('SIGINT', 'SIGINT')
})

/** Runs `muster` inside this process, which is much cheaper than a process of its own. */
export function startMuster(args: string[], options: CliOptions = {}): Started {
  const captured = new CapturedOutput()
  const signals = new EventEmitter()
  const caller = Object.assign(signals, {
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stdout: captured.stream('stdout'),
    stderr: captured.stream('stderr'),
    // The settings of the person who runs the tests are left out, stored profiles included.
    env: { ...noProfiles, ...options.env },
    cwd: () => options.cwd ?? tmpdir(),
    exitCode: undefined,
  })
  running.add(signals)
  const work = async (): Promise<Finished> => {
    await runCli(args)
    running.delete(signals)
    return captured.end(caller.exitCode ?? 0)
  }
  return {
    output: captured.output,
    finished: runInShell(caller as unknown as Shell, work),
    until: (pattern) => captured.until(pattern),
    // A signal that comes before the command listens would end a real process; here it waits for
    // the listener.
    kill: (signal) => {
      if (signals.emit(signal, signal)) return
      signals.once('newListener', () => setImmediate(() => signals.emit(signal, signal)))
    },
  }
}

/** `muster` as a process of its own. */
export function spawnMuster(args: string[], options: CliOptions & Spawning = {}): Started & Typing {
  const [file, fileArgs] = options.command?.(args) ?? [process.execPath, [mainFile, ...args]]
  const child = spawn(file, fileArgs, {
    env: { ...pickEnv(['PATH', 'HOME', 'NODE_COMPILE_CACHE']), ...noProfiles, ...options.env },
    cwd: options.cwd ?? tmpdir(),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const captured = new CapturedOutput()
  for (const name of ['stdout', 'stderr'] as const) child[name].pipe(captured.stream(name))
  // A command that does not read its input may close it; that is no failure of the test.
  child.stdin.on('error', () => {})
  child.stdin.write(options.stdin ?? '')
  if (options.keepStdin !== true) child.stdin.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve(captured.end(code ?? (signal as NodeJS.Signals)))
    })
  })
  return {
    output: captured.output,
    finished,
    type: (text) => child.stdin.write(text),
    kill: (signal) => child.kill(signal),
    until: (pattern) => captured.until(pattern),
  }
}

function pickEnv(names: string[]): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.includes(name)))
}

/** Collects what a command writes, and resolves the waits for a pattern. */
class CapturedOutput {
  readonly output = { stdout: '', stderr: '' }
  readonly #checks = new Set<() => void>()
  #isOver = false

  stream(name: 'stdout' | 'stderr'): Writable {
    const decoder = new StringDecoder()
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.output[name] += decoder.write(chunk)
        this.#check()
        done()
      },
    })
  }

  end(code: Finished['code']): Finished {
    this.#isOver = true
    this.#check()
    return { code, ...this.output }
  }

  until(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const match = pattern.exec(`${this.output.stdout}\n${this.output.stderr}`)
        if (match === null && !this.#isOver) return
        this.#checks.delete(check)
        if (match === null) reject(new Error(`ended without ${pattern}: ${this.output.stderr}`))
        else resolve(match)
      }
      this.#checks.add(check)
      check()
    })
  }

  #check(): void {
    for (const check of this.#checks) check()
  }
}

export function muster(args: string[], options: CliOptions = {}): Promise<Finished> {
  return startMuster(args, options).finished
}

/**
 * The program that gives a command a terminal of its own; part of util-linux, so not on every
 * machine.
 */
const terminalMaker = 'script'
export const hasTerminals = spawnSync(terminalMaker, ['--version']).status === 0

interface OfTerminal {
  /** Its width; by default it has none, and lines have any length. */
  columns?: number
  /** Changes the line that the shell runs. */
  toLine?: (line: string) => string
}

/**
 * Runs `muster` on a terminal, on which the test types; stdout and stderr both arrive in `stdout`.
 */
export function startOnTerminal(
  args: string[],
  { columns, toLine = (line) => line, ...options }: CliOptions & OfTerminal = {},
): Started & Typing {
  const command = (args: string[]): [string, string[]] => {
    const line = toLine([process.execPath, mainFile, ...args].map((word) => `'${word}'`).join(' '))
    const sized = columns === undefined ? line : `stty cols ${columns}; ${line}`
    return [terminalMaker, ['-qec', sized, '/dev/null']]
  }
  const env = { TERM: 'dumb', ...options.env }
  return spawnMuster(args, { ...options, command, keepStdin: true, env })
}

/** The one JSON document of a command. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
export function json(text: string): any {
  return JSON.parse(text)
}

/** A folder to work in. PostgreSQL, which may run as another user, must be able to enter it. */
export async function makeFolder(): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'muster-cli-'))
  await chmod(folder.path, 0o711)
  return folder
}
