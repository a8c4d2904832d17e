import { wholeEnd } from './storable.ts'

/**
 * What a text is found by: its words, and for those of five letters or more their first five, which
 * most inflected forms share. Letters are folded (case, accents, ß, ς) and scripts without spaces are
 * cut by dictionary, here and not in the database, whose locale may know neither.
 */
export function wordsOf(text: string, maxWords: number): string[] {
  const words = new Set<string>()
  for (const word of foldedWords(text)) {
    // One word may add two.
    if (words.size > maxWords - 2) return [...words]
    words.add(word)
    // The mark keeps a beginning apart from a word of five letters.
    if (/^[\p{L}\p{M}]{5}/u.test(word)) words.add(`${Array.from(word).slice(0, 5).join('')}*`)
  }
  return [...words]
}

/** The different words of a text in full, folded. */
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
  // Each run that ends is indexed, so texts in ASCII, which are most, skip the rules for other scripts.
  if (ascii.test(lower)) {
    return (lower.match(/[a-z0-9]+/g) ?? []).map((word) => word.slice(0, maxWordLength))
  }
  const plain = lower
    .normalize('NFKD')
    // Accents; joiners and selectors, which many leave out.
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

/** As long as the input of a run may be. */
const maxCharacters = 16_000
const maxWordLength = 64
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Made for the first text that needs it: its dictionaries take 30 ms. */
let segmenter: Intl.Segmenter | undefined

function cut(run: string): string[] {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' })
  return [...segmenter.segment(run)].map(({ segment }) => segment)
}
