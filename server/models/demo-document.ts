/**
 * Reads a text the way the offline stand-in needs it: Markdown, plain text or a single question, in
 * any script, becomes a title, sections and sentences with a weight. A sentence weighs more the more
 * it uses the words that the whole text uses most.
 */
export interface Document {
  title: string
  sections: Section[]
  sentences: Sentence[]
  /** The words that carry the text, most frequent first. */
  terms: string[]
}

interface Section {
  /** Null for text before the first heading. */
  heading: string | null
  /** 1 for the main title of a Markdown text; 0 for text before the first heading. */
  level: number
  sentences: Sentence[]
}

export interface Sentence {
  text: string
  words: Set<string>
  weight: number
}

const maxCharacters = 20_000
const maxSentenceCharacters = 320

export function readDocument(source: string): Document {
  const sections = readSections(stripMarkup(source.slice(0, maxCharacters)))
  const sentences = sections.flatMap((section) => section.sentences)
  const counts = countWords(sections)
  for (const sentence of sentences) sentence.weight = weigh(sentence, counts)
  const main = sections.find((section) => section.level === 1) ?? sections[0]
  const opening = main?.heading ?? sentences[0]?.text ?? ''
  return {
    title: shorten(opening.replace(/[.:;,。]+$/u, ''), 80),
    sections: sections.filter((section) => section.sentences.length > 0),
    sentences,
    terms: [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word),
  }
}

/** The words of a text that carry meaning, in lower case. */
export function contentWords(text: string): string[] {
  return words(text.toLowerCase()).filter(isContentWord)
}

/** Cuts at a word, never inside a character, and marks the cut. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const cut = text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')
  const space = cut.lastIndexOf(' ')
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).trimEnd()}…`
}

function stripMarkup(source: string): string {
  return source
    .replace(/\r\n?/g, '\n')
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^ {0,3}(```+|~~~+)[\s\S]*?(?:^ {0,3}\1[^\n]*$|(?![\s\S]))/gm, '\n')
    .replace(/<!--[\s\S]{0,4000}?-->/g, '')
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/!\[[^\][]*\](?:\([^()]*\)|\[[^\][]*\])/g, '')
    .replace(/\[([^\][]*)\](?:\([^()]*\)|\[[^\][]*\])/g, '$1')
    .replace(/^ {0,3}\[[^\]]+\]:.*$/gm, '')
    .replace(/^\s*\|.*\|\s*$/gm, '')
    .replace(/^ {0,3}(?:[-*_] *){3,}$/gm, '')
    .replace(/(?<!\S):[a-z0-9_+-]+:(?!\S)/g, '')
    .replace(/(\*\*|__|~~|`)/g, '')
    .replace(/(^|[\s(])[*_](?=\S)([^*_\n]+)[*_]/g, '$1$2')
    .replace(/^(.+)\n=+\s*$/gm, '# $1')
    .replace(/^(.+)\n-{2,}\s*$/gm, '## $1')
}

function readSections(text: string): Section[] {
  const sections: Section[] = [{ heading: null, level: 0, sentences: [] }]
  const seen = new Set<string>()
  let paragraph: string[] = []
  const close = (): void => {
    for (const text of splitSentences(paragraph.join(' '))) {
      if (seen.has(text)) continue
      seen.add(text)
      const shown = shorten(text, maxSentenceCharacters)
      sections
        .at(-1)
        ?.sentences.push({ text: shown, words: new Set(contentWords(text)), weight: 0 })
    }
    paragraph = []
  }
  for (const line of text.split('\n')) {
    const [, marks = '', heading] = /^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$/.exec(line) ?? []
    const bare = line.replace(/^\s*(?:>\s*)*(?:[-*+•]\s+|\d+[.)]\s+)?(?:\[[ xX]\]\s+)?/, '').trim()
    // A list item, a quotation or an empty line begins a sentence of its own.
    if (heading !== undefined || bare === '' || bare !== line.trim()) close()
    if (heading !== undefined) sections.push({ heading, level: marks.length, sentences: [] })
    else if (bare !== '') paragraph.push(bare)
  }
  close()
  const [preamble] = sections
  return preamble?.sentences.length === 0 && sections.length > 1 ? sections.slice(1) : sections
}

const sentenceSegmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })
const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

const abbreviation =
  /(?:^|\s)(?:e\.g|i\.e|etc|vs|cf|[DM]rs?|St|Prof)\.$|(?:^|[A-Z][\w.]*\s)[A-Z]\.$/

function splitSentences(text: string): string[] {
  const sentences: string[] = []
  for (const { segment } of sentenceSegmenter.segment(text)) {
    const trimmed = segment.trim()
    if (trimmed === '') continue
    const last = sentences.at(-1)
    // The segmenter breaks after "e.g.", "Dr." and initials; such pieces go back together.
    if (last !== undefined && abbreviation.test(last)) {
      sentences[sentences.length - 1] = `${last} ${trimmed}`
    } else {
      sentences.push(trimmed)
    }
  }
  return sentences.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
}

// The segmenter is slow and needed only for scripts that write without spaces.
const scriptsWithoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u

function words(text: string): string[] {
  if (!scriptsWithoutSpaces.test(text))
    return text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu) ?? []
  return [...wordSegmenter.segment(text)]
    .filter((piece) => piece.isWordLike === true)
    .map((piece) => piece.segment)
}

const stopWords = new Set(
  `a about above after again all also an and any are as at be because been before being below between
  both but by can could did do does doing don't down during each every few for from further had has
  have having he her here hers him his how i if in into is isn't it it's its itself just let like made
  make many may me might more most much must my no nor not now of off on once one only or other our
  out over own per please same she should so some such than that the their them then there these they
  this those through to too under until up upon use used uses using very via was we were what when
  where which while who whom why will with within without would you your
  und der die das ein eine ist nicht mit von für auf les des une est pas pour dans que los las una del
  por con para как что это для или его она они при
  正在 可以 然而 仍然 使用 进行 我们 他们 这个 一个 以及 因为 所以 但是 如果 没有 です ます する こと ため から まで など`.split(
    /\s+/,
  ),
)

function isContentWord(word: string): boolean {
  if (stopWords.has(word)) return false
  return scriptsWithoutSpaces.test(word) ? word.length >= 2 : word.length >= 3
}

function countWords(sections: Section[]): Map<string, number> {
  const counts = new Map<string, number>()
  const add = (word: string, amount: number): void => {
    counts.set(word, (counts.get(word) ?? 0) + amount)
  }
  for (const { heading, sentences } of sections) {
    for (const word of contentWords(heading ?? '')) add(word, 2)
    for (const sentence of sentences) for (const word of sentence.words) add(word, 1)
  }
  return counts
}

function weigh(sentence: Sentence, counts: Map<string, number>): number {
  let sum = 0
  for (const word of sentence.words) sum += (counts.get(word) ?? 0) - 0.5
  // Long sentences hold more frequent words by their length alone; very short ones say little.
  const size = sentence.words.size
  return size === 0 ? 0 : (sum / Math.sqrt(size)) * (size < 4 ? 0.5 : 1)
}
