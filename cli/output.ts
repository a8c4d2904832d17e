import { stripVTControlCharacters, styleText } from 'node:util'
import type { Failure } from './failure.ts'
import { shortTime } from './format.ts'
import { layOut, layOutFields } from './lay-out.ts'
import { shell } from './shell.ts'
import { columnsOf, wrap } from './wrap.ts'

/**
 * Output of commands: results to stdout, everything else to stderr; text for people or, with
 * `--json`, one document, or one for each line of a stream.
 */
export class Output {
  readonly isJson: boolean

  constructor(isJson: boolean) {
    this.isJson = isJson
  }

  /** The result of a command. */
  result(value: unknown, human: () => string): void {
    const { stdout } = shell()
    const forPeople = (text: string): string => (stdout.isTTY ? visible(text) : text)
    stdout.write(`${this.isJson ? JSON.stringify(value, null, 2) : forPeople(human())}\n`)
  }

  /** One of many results, as it arrives. */
  jsonLine(value: unknown): void {
    shell().stdout.write(`${JSON.stringify(value)}\n`)
  }

  /** A note for people. */
  note(text: string): void {
    if (this.isJson) return
    const { stderr } = shell()
    stderr.write(`${wrap(visible(text), columnsOf(stderr))}\n`)
  }

  failure({ error, stack }: Failure): void {
    const { stderr } = shell()
    if (this.isJson) stderr.write(`${JSON.stringify({ error })}\n`)
    else {
      const text = `${red('error:')} ${clean(stack ?? error.message)}`
      stderr.write(`${wrap(text, columnsOf(stderr))}\n`)
    }
  }
}

/**
 * Removes terminal control sequences from external text; characters that hide or reverse text
 * become escapes.
 */
export function clean(text: string): string {
  // Line breaks and tabs stay.
  const still = stripVTControlCharacters(text).replaceAll(/[\p{Cc}--[\t\n]]/gv, '')
  return visible(still)
}

/** The same for text with styles of its own. */
function visible(text: string): string {
  return text.replaceAll(hidden, toEscapes)
}

/** Invisible characters, except joiners and selectors within emoji and joined scripts. */
const hidden =
  /(?<![[\p{L}\p{M}]--[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}]]|[\p{Emoji}\p{Emoji_Modifier}]|\uFE0F)(?:\u200C|\u200D|\uFE0E|\uFE0F)|[[\p{Cf}\p{DI}\p{Zl}\p{Zp}]--[\u{200C}-\u{200D}]--[\u{FE0E}-\u{FE0F}]]/gv

/** The JSON escape of a character, for each UTF-16 unit, such as `\u202e`. */
export function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** Cleaned, on one line, and shortened, after a word if there is one near the end. */
export function oneLine(text: string, maxLength = 60): string {
  const line = clean(text).replaceAll(/\s+/g, ' ').trim()
  if (line.length <= maxLength) return line
  const cut = line.slice(0, maxLength - 1)
  const lastSpace = cut.lastIndexOf(' ')
  return `${lastSpace > maxLength / 2 ? cut.slice(0, lastSpace + 1) : cut}…`
}

/** Text for stdout: unchanged for a file or a program, cleaned for a terminal. */
export function forStdout(text: string): string {
  return shell().stdout.isTTY ? clean(text) : text
}

type Cell = string | number | boolean | readonly string[] | null | undefined
type Made<T, K extends string> = Record<K, (row: T) => Cell>

/** Rows as columns: fields, and the values of `made`. As wide as the terminal at most. */
export function table<T extends object, K extends string = never>(
  rows: readonly T[],
  columns: readonly (NoInfer<K> | (keyof T & string))[],
  made = {} as Made<T, K>,
  absent = '–',
): string {
  const labels = columns.map((name) => labelOf(name))
  const cells = rows.map((row) =>
    columns.map((name) => oneLine(formatCell(row, name, made) ?? absent)),
  )
  return layOut(labels, cells)
}

/** One row as names and values; fields without a value are left out, or shown as `absent`. */
export function fields<T extends object, K extends string = never>(
  row: T,
  names: readonly (NoInfer<K> | (keyof T & string))[],
  made = {} as Made<T, K>,
  absent?: string,
): string {
  const shown = names.flatMap((name) => {
    const text = formatCell(row, name, made) ?? absent
    return text === undefined ? [] : [[labelOf(name), clean(text)] as const]
  })
  return layOutFields(shown)
}

/** `created_at` becomes created, `retry_of` retry of, `maxTokens` max tokens. */
function labelOf(name: string): string {
  return name
    .replace(/_(at|id|enabled)$/, '')
    .replaceAll('_', ' ')
    .replaceAll(/[a-z][A-Z]/g, ([a, b]) => `${a} ${b?.toLowerCase()}`)
}

function formatCell<T>(row: T, name: string, made: Made<T, string>): string | undefined {
  const value = made[name] === undefined ? row[name as keyof T] : made[name](row)
  if (value == null || (Array.isArray(value) && value.length === 0)) return undefined
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.join(', ')
  return name.endsWith('_at') && !(name in made) ? shortTime(String(value)) : String(value)
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

/** The output of a step or run: its object if it has one, else its text. */
export function outputOf(of: { output: string | null; output_json: object | null }): string {
  return of.output_json === null ? (of.output ?? '') : JSON.stringify(of.output_json, null, 2)
}
