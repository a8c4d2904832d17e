import { InvalidArgumentError } from 'commander'
import { usageError } from './failure.ts'
import { countCharacters } from './format.ts'
import { readText } from './read-text.ts'
import { shell } from './shell.ts'

/** What a run takes, in characters (code points). */
export const maxInputLength = 16_000
const maxInputBytes = 1024 * 1024

/** The object of a run: JSON, or `@` and the name of a file with it. */
export async function readData(
  given: string | undefined,
): Promise<Record<string, unknown> | undefined> {
  if (given === undefined) return undefined
  const text = given.startsWith('@') ? await readText(given.slice(1), maxInputBytes) : given
  const data = parse(text)
  if (typeof data === 'object' && data !== null && !Array.isArray(data))
    return data as Record<string, unknown>
  throw usageError('Cannot run workflow: --data is not a JSON object', 'invalid_json')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The text of a run, which may be left out where it is given an object; `source` is `-` in place of a file. */
export async function readInput(
  source: string | undefined,
  { input, file, data }: { input?: string; file?: string; data?: string },
): Promise<string | undefined> {
  const wrong = (why: string, code?: string) => usageError(`Cannot run workflow: ${why}`, code)
  const given = [source, input, file].filter((one) => one !== undefined)
  if (given.length > 1) throw wrong('give one of --input, --file and -')
  if (source !== undefined && source !== '-') {
    const hint = 'give the text with --input, or - for stdin'
    throw wrong(`unexpected ${JSON.stringify(source)}; ${hint}`)
  }
  if (given.length === 0 && data !== undefined) return undefined
  if (given.length === 0 && shell().stdin.isTTY) {
    throw wrong('no input; give --input TEXT, --file FILE or --data JSON, or pipe a text in')
  }
  const text = input ?? (await readText(file ?? '-', maxInputBytes))
  const length = countCharacters(text)
  if (text.trim() === '') throw wrong('the input is empty', 'empty_input')
  if (length <= maxInputLength) return text
  throw wrong(`the input has ${length} characters, at most ${maxInputLength}`, 'input_too_long')
}

/** The parser of `--tag key=value`, which may be given more than once. */
export function tag(text: string, before: Record<string, string> = {}): Record<string, string> {
  const place = text.indexOf('=')
  if (place < 1) throw new InvalidArgumentError('Expected key=value.')
  return { ...before, [text.slice(0, place)]: text.slice(place + 1) }
}

/** The parser of an option that may be given more than once. */
export function several(text: string, before: string[] = []): string[] {
  return [...before, text]
}
