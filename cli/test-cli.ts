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

/** For tests only: `muster`, within the test's process or as one of its own. */
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
  kill(signal: NodeJS.Signals): void
}

interface Typing {
  /** Types into stdin, where it is kept open. */
  type(text: string): void
}

export interface CliOptions {
  env?: Record<string, string>
  cwd?: string
  /** Text for stdin; by default stdin is empty. */
  stdin?: string
}

interface Spawning {
  /** Keeps stdin open for more. */
  keepStdin?: boolean
  /** In place of `node cli/main.ts`. */
  command?: (args: string[]) => [string, string[]]
}

export const mainFile = join(import.meta.dirname, 'main.ts')
const patienceMs = 60_000

const running = new Set<EventEmitter>()
// What a test that failed has left would keep the process alive.
after(() => {
  for (const signals of running) signals.emit('SIGINT', 'SIGINT')
})

/** `muster` within this process, which is cheap: for all but what only a process of its own shows. */
export function startMuster(args: string[], options: CliOptions = {}): Started {
  const heard = new Heard()
  const signals = new EventEmitter()
  const caller = Object.assign(signals, {
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stdout: heard.stream('stdout'),
    stderr: heard.stream('stderr'),
    // The settings of whoever runs the tests do not count.
    env: { ...options.env },
    cwd: () => options.cwd ?? tmpdir(),
    exitCode: undefined,
  })
  running.add(signals)
  const work = async (): Promise<Finished> => {
    await runCli(args)
    running.delete(signals)
    return heard.end(caller.exitCode ?? 0)
  }
  return {
    output: heard.output,
    finished: runInShell(caller as unknown as Shell, work),
    until: (pattern) => heard.until(pattern),
    // One that comes before the command listens would end a process of its own; here it waits.
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
    env: { ...pickEnv(['PATH', 'HOME', 'NODE_COMPILE_CACHE']), ...options.env },
    cwd: options.cwd ?? tmpdir(),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const heard = new Heard()
  for (const name of ['stdout', 'stderr'] as const) child[name].pipe(heard.stream(name))
  // A command that does not read its input is no failure.
  child.stdin.on('error', () => {})
  child.stdin.write(options.stdin ?? '')
  if (options.keepStdin !== true) child.stdin.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve(heard.end(code ?? (signal as NodeJS.Signals)))
    })
  })
  return {
    output: heard.output,
    finished,
    type: (text) => child.stdin.write(text),
    kill: (signal) => child.kill(signal),
    until: (pattern) => heard.until(pattern),
  }
}

function pickEnv(names: string[]): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.includes(name)))
}

/** What a command has written so far, and who waits for more. */
class Heard {
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

/** Whether this machine can give a command a terminal of its own: the `script` of util-linux. */
const terminalMaker = 'script'
export const hasTerminals = spawnSync(terminalMaker, ['--version']).status === 0

/** `muster` on a terminal, where somebody types; stdout and stderr are both in `stdout`. */
export function startOnTerminal(args: string[], options: CliOptions = {}): Started & Typing {
  const command = (args: string[]): [string, string[]] => {
    const line = [process.execPath, mainFile, ...args].map((word) => `'${word}'`).join(' ')
    return [terminalMaker, ['-qec', line, '/dev/null']]
  }
  const env = { TERM: 'dumb', ...options.env }
  return spawnMuster(args, { ...options, command, keepStdin: true, env })
}

/** The one JSON document of a command. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
export function json(text: string): any {
  return JSON.parse(text)
}

/** A folder to work in; an embedded PostgreSQL in it may be another user's. */
export async function makeFolder(): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'muster-cli-'))
  await chmod(folder.path, 0o711)
  return folder
}
