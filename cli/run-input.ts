import { InvalidArgumentError } from 'commander'
import { parseAsWritten } from '../server/exact-json.ts'
import { usageError } from './failure.ts'
import { countCharacters } from './format.ts'
import { readText } from './read-text.ts'
import { shell } from './shell.ts'

/** Limit of a run's input in characters (code points). */
export const maxInputLength = 16_000
const maxInputBytes = 1024 * 1024

/** The data of a run: JSON, or `@` and the name of a JSON file. */
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
    return parseAsWritten(text)
  } catch {
    return undefined
  }
}

/** The input of a run, optional if it has data; a `source` of `-` is stdin. */
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
    throw wrong('no input; give --input TEXT, --file FILE or --data JSON, or pipe text in')
  }
  const text = input ?? (await readText(file ?? '-', maxInputBytes))
  const length = countCharacters(text)
  if (text.trim() === '') throw wrong('the input is empty', 'empty_input')
  if (length <= maxInputLength) return text
  throw wrong(`the input has ${length} characters, at most ${maxInputLength}`, 'input_too_long')
}

/** The parser of the repeatable option `--tag key=value`. */
export function tag(text: string, before: Record<string, string> = {}): Record<string, string> {
  const place = text.indexOf('=')
  if (place < 1) throw new InvalidArgumentError('Expected key=value.')
  return { ...before, [text.slice(0, place)]: text.slice(place + 1) }
}

/** The parser of a repeatable option. */
export function several(text: string, before: string[] = []): string[] {
  return [...before, text]
}
