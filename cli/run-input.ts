import { usageError } from './failure.ts'
import { countCharacters } from './format.ts'
import { readText } from './read-text.ts'
import { shell } from './shell.ts'

/** What a run takes, in characters (code points). */
export const maxInputLength = 16_000
const maxInputBytes = 1024 * 1024

/** The text of a run; `source` is `-` in place of a file. */
export async function readInput(
  source: string | undefined,
  { input, file }: { input?: string; file?: string },
): Promise<string> {
  const wrong = (why: string, code?: string) => usageError(`Cannot run workflow: ${why}`, code)
  const given = [source, input, file].filter((one) => one !== undefined)
  if (given.length > 1) throw wrong('give one of --input, --file and -')
  if (source !== undefined && source !== '-') {
    const hint = 'give the text with --input, or - for stdin'
    throw wrong(`unexpected ${JSON.stringify(source)}; ${hint}`)
  }
  if (given.length === 0 && shell().stdin.isTTY) {
    throw wrong('no input; give --input TEXT, --file FILE, or pipe a text in')
  }
  const text = input ?? (await readText(file ?? '-', maxInputBytes))
  const length = countCharacters(text)
  if (text.trim() === '') throw wrong('the input is empty', 'empty_input')
  if (length <= maxInputLength) return text
  throw wrong(`the input has ${length} characters, at most ${maxInputLength}`, 'input_too_long')
}
