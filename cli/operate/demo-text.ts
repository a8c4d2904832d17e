import { readText } from '../read-text.ts'
import { maxInputLength } from '../run-input.ts'
import { countCharacters } from '../format.ts'
import { usageError } from '../failure.ts'

const maxFileBytes = 10 * 1024 * 1024

/** The text of a demo; a long one is cut, so that the demo stays short. */
export async function readDemoText(
  input: string | undefined,
  file: string,
): Promise<{ text: string; note: string }> {
  const whole = input ?? (await readText(file, maxFileBytes))
  if (whole.trim() === '') throw usageError('Cannot run the demo: the text is empty', 'empty_input')
  const text = cutAtParagraph(whole, maxInputLength)
  const note =
    text.length === whole.length
      ? ''
      : ` Only its first ${countCharacters(text)} of ${countCharacters(whole)} characters: a run takes ${maxInputLength}.`
  return { text, note }
}

/** Up to this many characters, cut at the end of a paragraph, line or word if one is near. */
export function cutAtParagraph(text: string, maxLength: number): string {
  const characters = Array.from(text)
  if (characters.length <= maxLength) return text
  const room = characters.slice(0, maxLength).join('')
  for (const end of ['\n\n', '\n', ' ']) {
    const at = room.lastIndexOf(end)
    if (at > room.length / 2) return room.slice(0, at)
  }
  return room
}
