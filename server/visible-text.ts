/**
 * Text without what people cannot see: zero-width, tag, variation-selector, bidirectional and control
 * characters, which can carry orders that a reviewer never sees. Line breaks and tabs stay, and so do
 * joiners and selectors that shape the visible character before them; in a run of them, which could
 * spell something, at most the first.
 */
export function visibleText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(hidden, '$1').toWellFormed()
}

/** Where scripts and emoji have joiners and selectors of their own. */
const shaping = [
  // Persian, Hindi and others whose letters join; not scripts in which a joiner does nothing.
  /(?<=[[\p{L}\p{M}]--[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{DI}]])[\u200C\u200D]/v,
  // Emoji joined to one, such as families.
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})/v,
  // The look of a character as text or as emoji.
  /(?<=[\p{Emoji}--[0-9#*]])[\uFE0E\uFE0F]/v,
  // Keycaps.
  /(?<=[0-9#*])\uFE0F(?=\u20E3)/v,
]
const kept = shaping.map(({ source }) => source).join('|')
const hidden = new RegExp(`(${kept})|[\\p{DI}\\p{Cf}[\\p{Cc}--[\\t\\n]]]`, 'gv')
