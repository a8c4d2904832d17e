import { stripVTControlCharacters, styleText } from 'node:util'
import type { Failure } from './failure.ts'
import { countCharacters } from './format.ts'
import { shell } from './shell.ts'

/**
 * Where results and failures go: results to stdout, all else to stderr; text for people, or with
 * `--json` one document, or one a line for streams.
 */
export class Output {
  readonly isJson: boolean

  constructor(isJson: boolean) {
    this.isJson = isJson
  }

  /** The result of a command. */
  result(value: unknown, human: () => string): void {
    shell().stdout.write(this.isJson ? `${JSON.stringify(value, null, 2)}\n` : `${human()}\n`)
  }

  /** One of many results, as it comes. */
  jsonLine(value: unknown): void {
    shell().stdout.write(`${JSON.stringify(value)}\n`)
  }

  /** A remark for people. */
  note(text: string): void {
    if (!this.isJson) shell().stderr.write(`${text}\n`)
  }

  failure({ error, stack }: Failure): void {
    if (this.isJson) shell().stderr.write(`${JSON.stringify({ error })}\n`)
    else shell().stderr.write(`${red('error:')} ${clean(stack ?? error.message)}\n`)
  }
}

/** Text from elsewhere without what could steer a terminal. */
export function clean(text: string): string {
  // eslint-disable-next-line no-control-regex
  return stripVTControlCharacters(text).replaceAll(/[\0-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}

/** The same on one line, shortened. */
export function oneLine(text: string, maxLength = 60): string {
  const line = clean(text).replaceAll(/\s+/g, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line
}

/** Text for stdout: as it is for a file or a program, harmless for a terminal. */
export function forStdout(text: string): string {
  return shell().stdout.isTTY ? clean(text) : text
}

export function table(headings: string[], rows: string[][]): string {
  const lines = [headings, ...rows.map((row) => row.map((cell) => oneLine(cell)))]
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => countCharacters(line[column] ?? ''))),
  )
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - countCharacters(cell)))
      .join('  ')
      .trimEnd(),
  )
  return [dim(text[0] as string, shell().stdout), ...text.slice(1)].join('\n')
}

/** Names with values; those without a value are left out. */
export function fields(entries: [name: string, value: string | null | undefined][]): string {
  const width = Math.max(...entries.map(([name, value]) => (value == null ? 0 : name.length)))
  return entries
    .flatMap(([name, value]) =>
      value == null ? [] : `${dim(name.padEnd(width), shell().stdout)}  ${clean(value)}`,
    )
    .join('\n')
}

export function bold(text: string, stream: NodeJS.WriteStream = shell().stdout): string {
  return styleText('bold', text, { stream })
}

export function dim(text: string, stream: NodeJS.WriteStream = shell().stderr): string {
  return styleText('dim', text, { stream })
}

function red(text: string): string {
  return styleText('red', text, { stream: shell().stderr })
}
