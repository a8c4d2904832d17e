import { createInterface } from 'node:readline/promises'
import { CliError, interrupted } from '../failure.ts'
import type { Output } from '../output.ts'
import { shell } from '../shell.ts'

/** Whether a person can be asked; with `--json` the caller is a program. */
export function canAsk({ isJson }: Output): boolean {
  return !isJson && shell().stdin.isTTY && shell().stderr.isTTY
}

/**
 * Reads one line from the terminal, trimmed; undefined if the terminal was closed (Ctrl-D). Ctrl-C
 * ends the command. Questions go to stderr, so that stdout only has results.
 */
export async function askLine(question: string, signal?: AbortSignal): Promise<string | undefined> {
  using terminal = createInterface({ input: shell().stdin, output: shell().stderr })
  const ended = new AbortController()
  terminal.once('SIGINT', () => {
    shell().stderr.write('\n')
    ended.abort(interrupted('Nothing was answered; the run waits.'))
  })
  terminal.once('close', () => ended.abort())
  const signals = AbortSignal.any([ended.signal, ...(signal === undefined ? [] : [signal])])
  try {
    return (await terminal.question(question, { signal: signals })).trim()
  } catch (error) {
    if (!signals.aborted) throw error
    const reason: unknown = signals.reason
    if (reason instanceof CliError) throw reason
    shell().stderr.write('\n')
    return undefined
  }
}

/** Reads the first letter of one of these words; undefined if the terminal was closed. */
export async function askChoice<T extends string>(
  question: string,
  words: readonly T[],
  signal?: AbortSignal,
): Promise<T | undefined> {
  for (;;) {
    const line = (await askLine(`${question} `, signal))?.toLowerCase()
    if (line === undefined) return undefined
    const chosen = words.find((word) => line !== '' && word.startsWith(line))
    if (chosen !== undefined) return chosen
  }
}
