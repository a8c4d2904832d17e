import { wholeEnd } from '../storable.ts'

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
  sentences: Sentence[]
}

export interface Sentence {
  text: string
  /** Of the section that it is in. */
  heading: string | null
  words: Set<string>
  weight: number
}

const maxCharacters = 20_000
const maxSentenceCharacters = 320

export function readDocument(source: string): Document {
  const sections = readSections(stripMarkup(source.slice(0, maxCharacters)))
  const sentences = sections.flatMap((section) => section.sentences)
  const counts = new Map<string, number>()
  const said = [
    ...sections.map(({ heading }) => contentWords(heading ?? '')),
    ...sentences.map(({ words }) => words),
  ]
  for (const words of said) {
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  for (const sentence of sentences) {
    const sum = [...sentence.words].reduce((total, word) => total + (counts.get(word) ?? 0), 0)
    // Long sentences hold more frequent words by their length alone.
    sentence.weight = sum / Math.sqrt(sentence.words.size || 1)
  }
  const opening = sections.find(({ heading }) => heading !== null)?.heading ?? sentences[0]?.text
  return {
    title: shorten((opening ?? '').replace(/[.:;,。]+$/u, ''), 80),
    sections: sections.filter((section) => section.sentences.length > 0),
    sentences,
    terms: [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word),
  }
}

/** Cuts at a word, never inside a character, and marks the cut. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const cut = text.slice(0, wholeEnd(text, maxLength - 1))
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
    .replace(/^\s*\|.*\|\s*$|^ {0,3}(?:[-*_] *){3,}$/gm, '')
    .replace(/(\*\*|__|~~|`)/g, '')
    .replace(/(^|[\s(])[*_](?=\S)([^*_\n]+)[*_]/g, '$1$2')
}

function readSections(text: string): Section[] {
  let section: Section = { heading: null, sentences: [] }
  const sections = [section]
  const seen = new Set<string>()
  let paragraph: string[] = []
  const close = (): void => {
    for (const whole of splitSentences(paragraph.join(' '))) {
      if (seen.has(whole)) continue
      seen.add(whole)
      const { heading } = section
      const words = new Set(contentWords(whole))
      section.sentences.push({
        text: shorten(whole, maxSentenceCharacters),
        heading,
        words,
        weight: 0,
      })
    }
    paragraph = []
  }
  for (const line of text.split('\n')) {
    const heading = /^ {0,3}#{1,6}\s+(.+?)\s*#*\s*$/.exec(line)?.[1]
    const bare = line.replace(/^\s*(?:>\s*)*(?:[-*+•]\s+|\d+[.)]\s+)?(?:\[[ xX]\]\s+)?/, '').trim()
    // A list item, a quotation or an empty line begins a sentence of its own.
    if (heading !== undefined || bare === '' || bare !== line.trim()) close()
    if (heading !== undefined) sections.push((section = { heading, sentences: [] }))
    else if (bare !== '') paragraph.push(bare)
  }
  close()
  return sections
}

const sentenceSegmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })
const abbreviation =
  /(?:^|\s)(?:e\.g|i\.e|etc|vs|cf|[DM]rs?|St|Prof)\.$|(?:^|[A-Z][\w.]*\s)[A-Z]\.$/

function splitSentences(text: string): string[] {
  const sentences: string[] = []
  for (const { segment } of sentenceSegmenter.segment(text)) {
    const last = sentences.at(-1)
    // The segmenter breaks after "e.g.", "Dr." and initials; such pieces go back together.
    if (last !== undefined && abbreviation.test(last))
      sentences.push(`${sentences.pop()} ${segment.trim()}`)
    else sentences.push(segment.trim())
  }
  return sentences.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
}

// The segmenter is slow and needed only for scripts that write without spaces.
const scriptsWithoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u
const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** The words of a text that carry meaning, in lower case. */
export function contentWords(text: string): string[] {
  const lower = text.toLowerCase()
  const words = scriptsWithoutSpaces.test(lower)
    ? [...wordSegmenter.segment(lower)].flatMap((piece) =>
        piece.isWordLike ? [piece.segment] : [],
      )
    : (lower.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu) ?? [])
  return words.filter(
    (word) => word.length >= (scriptsWithoutSpaces.test(word) ? 2 : 4) && !stopWords.has(word),
  )
}

const stopWords = new Set(
  `about above after again also been before being below between both could does doing don't down
  during each every from have having here into isn't it's itself just like made make many more most
  much once only other over please same should some such than that their them then there these they
  this those through under until upon used uses using very were what when where which while will with
  within without would your eine nicht oder dans pour como para 可以 然而 我们 这个 因为 です ます`.split(
    /\s+/,
  ),
)
