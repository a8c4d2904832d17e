import { createInterface, type Interface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CliError, interrupted } from '../failure.ts'
import type { Output } from '../output.ts'
import { shell } from '../shell.ts'
import { columnsOf, wrap } from '../wrap.ts'

/** Whether a person can be asked; with `--json` the caller is a program. */
export function canAsk({ isJson }: Output): boolean {
  return !isJson && shell().stdin.isTTY && shell().stderr.isTTY
}

interface Asking {
  /** Withdraws the question. */
  signal?: AbortSignal
  /** What Ctrl-C leaves undone, as a sentence. */
  nothing?: string
  /** The line is not shown as it is typed. */
  isSecret?: boolean
}

/** Reads one line that is not shown as it is typed. */
export async function askSecret(
  question: string,
  asking: Pick<Asking, 'nothing'>,
): Promise<string | undefined> {
  const answer = await askLine(question, { ...asking, isSecret: true })
  shell().stderr.write('\n')
  return answer
}

/**
 * Reads one line from the terminal, trimmed; undefined if the terminal was closed (Ctrl-D). Ctrl-C
 * ends the command. Questions go to stderr, so that stdout only has results.
 */
export async function askLine(
  question: string,
  { signal, nothing = 'Nothing was answered; the run waits.', isSecret = false }: Asking = {},
): Promise<string | undefined> {
  const { stderr } = shell()
  // What readline would show of a secret goes nowhere.
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = isSecret ? unseen : stderr
  using terminal = createInterface({ input: shell().stdin, output, terminal: true })
  const ended = new AbortController()
  terminal.once('SIGINT', () => {
    shell().stderr.write('\n')
    ended.abort(interrupted(nothing))
  })
  terminal.once('close', () => ended.abort())
  terminal.on('SIGTSTP', () => suspend(terminal))
  const signals = AbortSignal.any([ended.signal, ...(signal === undefined ? [] : [signal])])
  try {
    const fitted = wrap(question.trimEnd(), columnsOf(shell().stderr))
    const space = question.slice(question.trimEnd().length)
    // The terminal shows nothing by itself since readline reads it, so a key that is pasted at once stays hidden.
    if (isSecret) stderr.write(fitted + space)
    return (await terminal.question(isSecret ? '' : fitted + space, { signal: signals })).trim()
  } catch (error) {
    if (!signals.aborted) throw error
    const reason: unknown = signals.reason
    if (reason instanceof CliError) throw reason
    shell().stderr.write('\n')
    return undefined
  }
}

/**
 * Ctrl-Z: stops the whole job, as a terminal does, since npm or an older Node may stand in front.
 * Node's own handling stops only this process, and leaves the terminal unread after `fg`.
 */
function suspend(terminal: Interface): void {
  const { stdin } = shell()
  stdin.setRawMode(false)
  process.once('SIGCONT', () => {
    stdin.setRawMode(true)
    terminal.prompt(true)
  })
  process.kill(0, 'SIGTSTP')
}

/** Reads the first letter of one of these words; undefined if the terminal was closed. */
export async function askChoice<T extends string>(
  question: string,
  words: readonly T[],
  signal?: AbortSignal,
): Promise<T | undefined> {
  for (;;) {
    const line = (await askLine(`${question} `, { ...(signal && { signal }) }))?.toLowerCase()
    if (line === undefined) return undefined
    const chosen = words.find((word) => line !== '' && word.startsWith(line))
    if (chosen !== undefined) return chosen
  }
}
