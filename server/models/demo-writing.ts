import { contentWords, shorten, type Document, type Sentence } from './demo-document.ts'
import type { DemoPrompt } from './demo-prompt.ts'

/** Writes the offline stand-in's plan: numbered points, each from a sentence of the input. */
export function writePlan(document: Document): string {
  const points = document.sentences.length < 3 ? questionPoints(document) : textPoints(document)
  const terms = document.terms.slice(0, 6)
  return [
    `# Plan: ${document.title}`,
    points.map(({ label, text }, index) => `${index + 1}. **${label}**: ${text}`).join('\n'),
    ...(terms.length > 0 ? [`Key terms: ${terms.join(', ')}.`] : []),
  ].join('\n\n')
}

/** Writes the stand-in's text: title, lead, one section for each point of the plan. */
export function writeText(document: Document, { earlier, toolResults }: DemoPrompt): string {
  const { sentences, title } = document
  const [first] = sentences
  if (first === undefined) return '# No input\n\nThe input holds no text to work with.'
  const lead = sentences.slice(0, first.text.startsWith(title) ? 2 : 1)
  const own = sentences.length < 3 ? [] : textPoints(document)
  const results = toolResults.map(
    ({ name, text }) =>
      `- ${name.replace('__', '.')}: ${shorten(text.replace(/\s+/g, ' ').trim(), lengthOf(name))}`,
  )
  return [
    `# ${title}`,
    join(lead),
    ...writeSections(earlierPlan(earlier) ?? own, sentences, lead),
    ...(results.length > 0 ? [`## From the tools\n\n${results.join('\n')}`] : []),
  ].join('\n\n')
}

/** What stands in files is an answer by itself. */
function lengthOf(tool: string): number {
  return tool.startsWith('files__') ? 1_200 : 300
}

interface Point {
  label: string
  text: string
}

/** Along the headings of a text that has some, else along its weightiest sentences. */
function textPoints({ sections, sentences, terms }: Document): Point[] {
  const titled = sections.filter(({ heading }) => heading !== null)
  if (titled.length >= 3) {
    return titled.slice(0, 8).map((section) => ({
      label: plainLabel(section.heading ?? ''),
      text: heaviest(section.sentences, 1)[0]?.text ?? '',
    }))
  }
  const labels = new Set<string>()
  const count = Math.min(6, Math.max(3, Math.ceil(sentences.length / 4)))
  return heaviest(sentences, count).map(({ text, words }, index) => {
    const term = terms.find((one) => words.has(one) && !labels.has(one)) ?? `point ${index + 1}`
    labels.add(term)
    return { label: capitalised(term), text }
  })
}

// One or two sentences hold nothing to choose from: the plan asks about their own words.
function questionPoints({ sentences, terms, title }: Document): Point[] {
  const [first] = sentences
  if (first === undefined) return [{ label: 'Ask for input', text: 'The input holds no text.' }]
  const named = terms.slice(0, 3)
  return [
    { label: 'State the task', text: `“${first.text}”` },
    ...sentences.slice(1).map(({ text }) => ({ label: 'Take into account', text: `“${text}”` })),
    ...named.map((term) => ({
      label: capitalised(term),
      text: `say what “${term}” means in this task and what has to be known of it.`,
    })),
    { label: 'Bring together', text: `answer “${title}” in a few lines.` },
  ]
}

/** The numbered points of the planner, or of whoever wrote some last. */
function earlierPlan(earlier: DemoPrompt['earlier']): Point[] | undefined {
  const plans = earlier
    .map(({ role, text }) => ({ isPlanner: /plan|outline/i.test(role), points: readPoints(text) }))
    .filter(({ points }) => points.length >= 2)
  return (plans.findLast(({ isPlanner }) => isPlanner) ?? plans.at(-1))?.points
}

function readPoints(text: string): Point[] {
  return [...text.matchAll(/^[ \t]*\d{1,2}[.)][ \t]+(.+)$/gm)].slice(0, 12).map((match) => {
    const line = (match[1] ?? '').replace(/\*\*|__/g, '')
    const [, label = line, rest = line] = /^([^:：]{1,60})[:：]\s*(.+)$/.exec(line) ?? []
    return { label: plainLabel(label), text: rest }
  })
}

/**
 * Shares the sentences out among the points of the plan: a sentence goes to the point that quotes it or
 * its heading, else to the one whose words it shares most, else to where its neighbour went.
 */
function writeSections(plan: Point[], sentences: Sentence[], lead: Sentence[]): string[] {
  const points = plan.map(({ label, text }) => ({
    label,
    text,
    words: contentWords(`${label} ${text}`),
    share: [] as Sentence[],
  }))
  let owner = points[0]
  for (const sentence of sentences) {
    if (lead.includes(sentence)) continue
    const heading = sentence.heading && plainLabel(sentence.heading)
    const shared = points.map(({ label, text, words }) =>
      label === heading || text.includes(sentence.text)
        ? Infinity
        : words.filter((word) => sentence.words.has(word)).length,
    )
    const most = Math.max(...shared)
    if (most > 0) owner = points[shared.indexOf(most)]
    owner?.share.push(sentence)
  }
  return points.flatMap(({ label, text, share }) => {
    if (share.length > 0) return [`## ${label}\n\n${join(heaviest(share, 4))}`]
    // Shown already, at the top.
    if (lead.some((sentence) => text.includes(sentence.text))) return []
    return [`## ${label}\n\nThe input holds nothing more on this point. The plan says: ${text}`]
  })
}

/** The heaviest sentences, in the order of the text. */
function heaviest(sentences: Sentence[], count: number): Sentence[] {
  const kept = new Set(sentences.toSorted((a, b) => b.weight - a.weight).slice(0, count))
  return sentences.filter((sentence) => kept.has(sentence))
}

// Scripts without spaces between words have none between sentences either.
function join(sentences: Sentence[]): string {
  const text = sentences.map((sentence) => sentence.text).join(' ')
  return text.replace(/([。！？]) /gu, '$1')
}

function plainLabel(text: string): string {
  return shorten(text.replace(/[*_`]/g, '').replace(/[.:。：]+$/u, ''), 60)
}

function capitalised(text: string): string {
  return text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
}
