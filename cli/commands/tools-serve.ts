import { spawn } from 'node:child_process'
import type { ServedCall, ToolFunction } from '../../sdk/index.ts'
import { usageError } from '../failure.ts'
import { abortOnSignal } from '../follow.ts'
import { wholeNumber, type Call, type Verbs } from '../noun.ts'
import { dim, oneLine } from '../output.ts'
import { shell } from '../shell.ts'

interface ServeOptions {
  exec: string[]
  concurrency: number
  lease: number
}

const help = `
Each call of a tool starts its command in a shell. The arguments are JSON on its standard input; its standard output is the result, as JSON if it is JSON and as text otherwise. Exit code 0 is a success; any other is a failure, with standard error as its message for the agent. Exit code 75 says that nothing happened and that the call may be tried again.

The command's environment has MUSTER_CALL_ID, the same for each try of a call, and MUSTER_RUN_ID. A command whose call is no longer this worker's, such as when its run was cancelled, gets SIGTERM.

Ctrl-C stops after the calls in progress. Use a key with the role worker.`

/** Most of a command's output and error that is read. */
const maxBytes = 1024 * 1024
const maxMessage = 10_000
/** EX_TEMPFAIL of sysexits. */
const retryCode = 75

/** `muster tools serve`: executes calls of tools with commands of this machine. */
export function addTools(program: Verbs): void {
  const { verb } = program.noun('tools')
  verb(
    'serve',
    "execute calls of callers' tools with commands on this machine, until Ctrl-C",
    async ({ muster, options, out }: Call<ServeOptions>) => {
      const commands = new Map(options.exec.map(readExec))
      using stop = abortOnSignal(['SIGINT', 'SIGTERM'], new Error('stopped'))
      const tools = Object.fromEntries(
        [...commands].map(([name, command]): [string, ToolFunction] => [
          name,
          async (input, call) => {
            const line = `${name} ${call.callId}`
            out.note(dim(`${line} started${call.try > 1 ? `, try ${call.try}` : ''}`))
            return runCommand(command, input, call).then(
              (output) => {
                out.note(`${line} succeeded`)
                return output
              },
              (error: unknown) => {
                out.note(`${line} failed: ${oneLine((error as Error).message)}`)
                throw error
              },
            )
          },
        ]),
      )
      out.note(dim(`Serving ${[...commands.keys()].join(', ')}. Ctrl-C stops.`))
      await muster.tools.serve(tools, {
        concurrency: options.concurrency,
        leaseSeconds: options.lease,
        signal: stop.signal,
        onError: (error, call) => {
          const about = call === undefined ? '' : `${call.callId}: `
          out.note(`${about}${oneLine(error instanceof Error ? error.message : String(error))}`)
        },
      })
    },
  )
    .requiredOption('--exec <name=command...>', 'a tool and the command that executes its calls')
    .option('--concurrency <number>', 'maximum calls at a time', wholeNumber(1, 500), 10)
    .option(
      '--lease <seconds>',
      'seconds without a sign of life until a call is lost',
      wholeNumber(5, 600),
      60,
    )
    .addHelpText('after', help)
}

function readExec(text: string): [name: string, command: string] {
  const [, name, command] = /^([a-z][a-z0-9_]{0,39})=(.+)$/s.exec(text) ?? []
  if (name !== undefined && command !== undefined) return [name, command]
  const expected = "expected a tool's name, = and a command, such as lookup_order=./lookup.sh"
  throw usageError(`Cannot serve tools: --exec is ${JSON.stringify(text)}, ${expected}`)
}

/** Resolves with the output of a command that succeeds. */
async function runCommand(
  command: string,
  input: unknown,
  { callId, runId, signal }: ServedCall,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  const { MUSTER_API_KEY: _, ...others } = shell().env
  const env = { ...others, MUSTER_CALL_ID: callId, MUSTER_RUN_ID: runId }
  // In a process group of its own, because Ctrl-C must not end calls in progress.
  const child = spawn(command, {
    shell: true,
    detached: true,
    env,
    cwd: shell().cwd(),
    stdio: 'pipe',
  })
  child.on('error', reject)
  child.on('close', resolve)
  const stop = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
  }
  signal.addEventListener('abort', stop, { once: true })
  // A command need not read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(input))
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const code = await promise.finally(() => signal.removeEventListener('abort', stop))
  if (code === 0) {
    if (stdout.isCut) throw new Error(`The command wrote more than ${maxBytes} bytes`)
    return readOutput(Buffer.concat(stdout.parts).toString())
  }
  const said = Buffer.concat(stderr.parts).toString().trim().slice(0, maxMessage)
  const ended = code === null ? 'was stopped' : `ended with exit code ${code}`
  const error = new Error(said === '' ? `The command ${ended}` : said)
  throw Object.assign(error, code === retryCode && { retryable: true })
}

function collect(stream: NodeJS.ReadableStream): { parts: Buffer[]; isCut: boolean } {
  const collected = { parts: [] as Buffer[], isCut: false }
  let bytes = 0
  stream.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes <= maxBytes) collected.parts.push(part)
    else collected.isCut = true
  })
  return collected
}

function readOutput(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
