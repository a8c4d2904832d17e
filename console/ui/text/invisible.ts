/**
 * Invisible and misleading characters: controls, zero-width and bidirectional marks, tags, line
 * separators and odd spaces. Joiners that shape the visible character before them, in emoji and
 * joined scripts, do not count; a sequence of them does.
 */
const shaping = [
  /(?<=\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)\u200D(?=\p{Extended_Pictographic})/v,
  /(?<=[\p{Emoji}--[0-9#*]])[\uFE0E\uFE0F]/v,
  /(?<=[\p{L}--[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{DI}]])[\u200C\u200D]/v,
]
const invisible = new RegExp(
  `(${shaping.map(({ source }) => source).join('|')})|[\\p{DI}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\u2000-\\u200A\\u3000[\\p{Cc}--[\\t\\n]]]`,
  'gv',
)

export interface Piece {
  text: string
  /** Set for invisible characters: their name and count. */
  name?: string
}

/** Splits text into visible parts and the names of invisible characters; repeats are counted. */
export function splitInvisible(text: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const match of text.replaceAll('\r\n', '\n').matchAll(invisible)) {
    const [character, shapes] = match
    if (shapes !== undefined) continue
    if (match.index > end) pieces.push({ text: match.input.slice(end, match.index) })
    end = match.index + character.length
    const last = pieces.at(-1)
    if (last?.name !== undefined && last.text.startsWith(character)) {
      last.text += character
      last.name = codePointName(character, last.text.length / character.length)
    } else {
      pieces.push({ text: character, name: codePointName(character, 1) })
    }
  }
  const rest = text.replaceAll('\r\n', '\n').slice(end)
  return rest === '' ? pieces : [...pieces, { text: rest }]
}

/** `pay ‹U+202E›000,1 to me`. */
export function showInvisible(text: string): string {
  const pieces = splitInvisible(text)
  return pieces.map(({ text, name }) => (name === undefined ? text : `‹${name}›`)).join('')
}

/** The same on one line, for lists. */
export function toLine(text: string, length: number): string {
  return showInvisible(text.slice(0, length).replaceAll(/[ \t\r\n]+/g, ' '))
}

export function countInvisible(text: string): number {
  return splitInvisible(text).filter(({ name }) => name !== undefined).length
}

function codePointName(character: string, count: number): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `U+${code}${count > 1 ? ` ×${count}` : ''}`
}
