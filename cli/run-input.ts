import { usageError } from './failure.ts'
import { countCharacters } from './format.ts'
import { readText } from './read-text.ts'
import { shell } from './shell.ts'

/** Where the text of a run comes from. */
export interface InputSource {
  /** `-` in place of a file. */
  source?: string | undefined
  input?: string | undefined
  file?: string | undefined
}

/** What a run takes, in characters (code points). */
export const maxInputLength = 16_000
const maxInputBytes = 1024 * 1024

export async function readInput({ source, input, file }: InputSource): Promise<string> {
  const given = [source, input, file].filter((one) => one !== undefined)
  if (given.length > 1) throw usageError('Cannot run workflow: give one of --input, --file and -')
  if (source !== undefined && source !== '-') {
    throw usageError(
      `Cannot run workflow: unexpected ${JSON.stringify(source)}; give the text with --input, or - for stdin`,
    )
  }
  if (given.length === 0 && shell().stdin.isTTY) {
    throw usageError(
      'Cannot run workflow: no input; give --input TEXT, --file FILE, or pipe a text in',
    )
  }
  const text = input ?? (await readText(file ?? '-', maxInputBytes))
  const length = countCharacters(text)
  if (text.trim() === '') throw usageError('Cannot run workflow: the input is empty', 'empty_input')
  if (length > maxInputLength) {
    throw usageError(
      `Cannot run workflow: the input has ${length} characters, at most ${maxInputLength}`,
      'input_too_long',
    )
  }
  return text
}
