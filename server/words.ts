import { wholeEnd } from './safe-text.ts'

/**
 * The searchable words of a text, plus the first five letters of longer words, which most inflected
 * forms share. Letters are folded (case, accents, ß, ς) and scripts without spaces are split by
 * dictionary here, because the database's locale may support neither.
 */
export function wordsOf(text: string, maxWords: number): string[] {
  const words = new Set<string>()
  for (const word of foldedWords(text)) {
    // One word may add two entries.
    if (words.size > maxWords - 2) return [...words]
    words.add(word)
    // The mark distinguishes a prefix from a word of five letters.
    if (/^[\p{L}\p{M}]{5}/u.test(word)) words.add(`${Array.from(word).slice(0, 5).join('')}*`)
  }
  return [...words]
}

/** The distinct whole words of a text, folded. */
export function wholeWordsOf(text: string, maxWords: number): string[] {
  const words = new Set<string>()
  for (const word of foldedWords(text)) {
    if (words.size === maxWords) break
    words.add(word)
  }
  return [...words]
}

function foldedWords(text: string): string[] {
  const lower = text.slice(0, maxCharacters).toLowerCase()
  // Every ended run is indexed, so ASCII texts, the most common ones, skip the rules for other
  // scripts.
  if (ascii.test(lower)) {
    return (lower.match(/[a-z0-9]+/g) ?? []).map((word) => word.slice(0, maxWordLength))
  }
  const plain = lower
    .normalize('NFKD')
    // Accents, joiners and selectors, which many people leave out.
    .replaceAll(/[\u0300-\u036f]|[\u200c-\u200d]|[\ufe0e-\ufe0f]/g, '')
    .normalize('NFC')
    .replaceAll('ß', 'ss')
    .replaceAll('ς', 'σ')
  const runs = plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const words = runs.flatMap((run) => (spaceless.test(run) ? cut(run) : [run]))
  return words.map((word) => word.slice(0, wholeEnd(word, maxWordLength)))
}

// eslint-disable-next-line no-control-regex
const ascii = /^[\0-\x7f]*$/

/** The maximum length of a run's input. */
const maxCharacters = 16_000
const maxWordLength = 64
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Created on first use, because its dictionaries take 30 ms. */
let segmenter: Intl.Segmenter | undefined

function cut(run: string): string[] {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' })
  return [...segmenter.segment(run)].map(({ segment }) => segment)
}
