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
    const stem = withoutParticle(word)
    // The mark distinguishes a prefix from a word of five letters.
    if (stem !== undefined) words.add(stem)
    else if (/^[\p{L}\p{M}]{5}/u.test(word)) words.add(`${Array.from(word).slice(0, 5).join('')}*`)
  }
  return [...words]
}

/** Korean writes particles at the end of a word: `보고서를` is `보고서` as an object. */
const particles =
  /^(\p{Script=Hangul}{2,})(?:에서는|으로는|에게서|에서|에게|으로|까지|부터|한테|께서|처럼|보다|마다|라도|이나|은|는|이|가|을|를|의|에|로|와|과|도|만)$/u

const firstHangul = 0x1100

function withoutParticle(word: string): string | undefined {
  return word.charCodeAt(0) < firstHangul ? undefined : particles.exec(word)?.[1]
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
    // Accents, vowel points, joiners and selectors, which many people leave out.
    .replaceAll(optionalMarks, '')
    .normalize('NFC')
    .replaceAll('ß', 'ss')
    .replaceAll('ς', 'σ')
  const runs = plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const words = runs.flatMap((run) => (spaceless.test(run) ? cut(run) : [run]))
  return words.map((word) => word.slice(0, wholeEnd(word, maxWordLength)))
}

/**
 * Marks that are optional in writing: accents, and the vowels of Arabic, Hebrew and Syriac with Arabic's stretched line.
 * Not the vowels of Indic and other scripts, and not the marks of Kana, which are parts of letters.
 */
const optionalMarks =
  /[[\p{Mn}&&[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Coptic}]]--[\u3099\u309a]]|\u0640|\u200c|\u200d|\ufe0e|\ufe0f/gv

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
