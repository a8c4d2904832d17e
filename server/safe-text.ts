/* Text from outside: what PostgreSQL can store, which is text without NUL and unpaired surrogates, and what people see. */

/** Removes characters that cannot be stored. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Whether JSON text, which has such characters as escapes, can be stored. */
export function isStorableJson(json: string): boolean {
  return !escaped.test(json)
}

// Unless the backslash is itself escaped.
const escaped = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/

/** Where a text may be cut without splitting a surrogate pair: at `end` or one before. */
export function wholeEnd(text: string, end: number): number {
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end
}

/**
 * Removes invisible characters from a text: zero-width, tag, variation-selector, bidirectional and
 * control characters, which can carry instructions that a reviewer never sees. Line breaks and tabs
 * stay, and so do joiners and selectors that shape the visible character before them, but only the
 * first of several, because a sequence could spell something.
 */
export function visibleText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(hidden, '$1').toWellFormed()
}

/** Where joiners and selectors belong to scripts and emoji. */
const shaping = [
  // Persian, Hindi and other scripts with joined letters; not scripts in which a joiner has no
  // effect.
  /(?<=[[\p{L}\p{M}]--[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{DI}]])[\u200C\u200D]/v,
  // Combined emoji, such as families.
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})/v,
  // Text or emoji style of a character.
  /(?<=[\p{Emoji}--[0-9#*]])[\uFE0E\uFE0F]/v,
  // Keycaps.
  /(?<=[0-9#*])\uFE0F(?=\u20E3)/v,
]
const kept = shaping.map(({ source }) => source).join('|')
const hidden = new RegExp(`(${kept})|[\\p{DI}\\p{Cf}[\\p{Cc}--[\\t\\n]]]`, 'gv')
