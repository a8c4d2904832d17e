import { contentWords, shorten, type Document, type Sentence } from './demo-document.ts'
import type { DemoPrompt } from './demo-prompt.ts'

/** Writes the offline stand-in's plan: numbered points, each from a sentence of the input. */
export function writePlan(document: Document): string {
  const points = document.sentences.length < 3 ? questionPoints(document) : textPoints(document)
  const lines = points.map(({ label, text }, index) => `${index + 1}. **${label}**: ${text}`)
  const terms = document.terms.slice(0, 6)
  return [
    `# Plan: ${document.title}`,
    lines.join('\n'),
    ...(terms.length > 0 ? [`Key terms: ${terms.join(', ')}.`] : []),
  ].join('\n\n')
}

/** Writes the stand-in's text: title, lead, one section for each point of an earlier plan. */
export function writeText(document: Document, prompt: DemoPrompt): string {
  const [first, second] = document.sentences
  if (first === undefined) return '# No input\n\nThe input holds no text to work with.'
  const repeatsTitle = first.text.startsWith(document.title)
  const lead = repeatsTitle && second !== undefined ? [first, second] : [first]
  const rest = document.sentences.filter((sentence) => !lead.includes(sentence))
  const plan = earlierPlan(prompt)
  const sections =
    plan === undefined ? ownSections(document, rest) : plannedSections(plan, rest, lead)
  return [
    `# ${document.title}`,
    join(lead),
    ...sections,
    ...toolSection(prompt),
    ...keyPoints(document),
  ].join('\n\n')
}

interface Point {
  label: string
  text: string
}

function textPoints(document: Document): Point[] {
  const titled = document.sections.filter((section) => section.heading !== null)
  if (titled.length >= 3) {
    const weight = (sentences: Sentence[]): number =>
      Math.max(...sentences.map((sentence) => sentence.weight))
    const kept = new Set(
      [...titled].sort((a, b) => weight(b.sentences) - weight(a.sentences)).slice(0, 7),
    )
    return titled
      .filter((section) => kept.has(section))
      .map(({ heading, sentences }) => ({
        label: shorten(plainLabel(heading ?? ''), 60),
        text: byWeight(sentences)[0]?.text ?? '',
      }))
  }
  const count = Math.min(6, Math.max(3, Math.ceil(document.sentences.length / 4)))
  const labels = new Set<string>()
  return heaviest(document.sentences, count).map((sentence, index) => {
    const label = labelOf(sentence, document, labels) ?? `Point ${index + 1}`
    labels.add(label)
    return { label, text: sentence.text }
  })
}

// One or two sentences hold nothing to choose from: the plan asks about their own words.
function questionPoints({ sentences, terms, title }: Document): Point[] {
  const [first] = sentences
  if (first === undefined) return [{ label: 'Ask for input', text: 'The input holds no text.' }]
  const named = terms.slice(0, 3)
  const related = named.length > 1 ? named.join(', ') : (named[0] ?? title)
  return [
    { label: 'State the task', text: `“${first.text}”` },
    ...sentences.slice(1).map(({ text }) => ({ label: 'Take into account', text: `“${text}”` })),
    ...named.map((term) => ({
      label: capitalised(term),
      text: `say what “${term}” means in this task and what has to be known of it.`,
    })),
    { label: 'Bring together', text: `relate ${related} and answer “${title}” in a few lines.` },
  ]
}

function earlierPlan(prompt: DemoPrompt): Point[] | undefined {
  const plans = prompt.earlier
    .map(({ role, text }) => ({ planner: /plan|outline/i.test(role), points: readPoints(text) }))
    .filter(({ points }) => points.length >= 2)
  return (plans.findLast(({ planner }) => planner) ?? plans.at(-1))?.points
}

function readPoints(text: string): Point[] {
  return [...text.matchAll(/^[ \t]*\d{1,2}[.)][ \t]+(.+)$/gm)].slice(0, 12).map((match) => {
    const line = (match[1] ?? '').replace(/\*\*|__/g, '')
    const [, label, rest] = /^([^:：]{1,60})[:：]\s*(.+)$/.exec(line) ?? []
    return label === undefined || rest === undefined
      ? { label: shorten(line.replace(/[.。]+$/u, ''), 60), text: line }
      : { label, text: rest }
  })
}

/**
 * Shares the sentences out among the points of the plan: a sentence that the plan quotes goes there,
 * another to the point whose words it shares most, the rest to where its neighbour went.
 */
function plannedSections(plan: Point[], rest: Sentence[], lead: Sentence[]): string[] {
  const shares = plan.map((): Sentence[] => [])
  let neighbour = 0
  for (const sentence of rest) {
    const quoted = plan.findIndex(({ text }) => text.includes(sentence.text))
    const owner = quoted >= 0 ? quoted : nearestPoint(plan, sentence)
    neighbour = owner ?? neighbour
    shares[neighbour]?.push(sentence)
  }
  return plan.flatMap((point, index) => {
    const sentences = shares[index] ?? []
    if (sentences.length > 0) return [paragraph(point.label, heaviest(sentences, 4))]
    // Shown already, at the top.
    if (lead.some(({ text }) => point.text.includes(text))) return []
    return [
      `## ${plainLabel(point.label)}\n\nThe input holds nothing more on this point. The plan says: ${point.text}`,
    ]
  })
}

function nearestPoint(plan: Point[], sentence: Sentence): number | undefined {
  let best: { index: number; shared: number } | undefined
  for (const [index, point] of plan.entries()) {
    const shared = contentWords(`${point.label} ${point.text}`).filter((word) =>
      sentence.words.has(word),
    ).length
    if (shared > (best?.shared ?? 0)) best = { index, shared }
  }
  return best?.index
}

function ownSections(document: Document, rest: Sentence[]): string[] {
  const labels = new Set<string>()
  const groups =
    document.sections.length >= 2
      ? document.sections
      : chunks(rest, Math.max(3, Math.ceil(rest.length / 4))).map((sentences) => ({
          heading: null,
          sentences,
        }))
  return groups
    .map(({ heading, sentences }) => ({
      heading,
      kept: heaviest(
        sentences.filter((sentence) => rest.includes(sentence)),
        3,
      ),
    }))
    .filter(({ kept }) => kept.length > 0)
    .slice(0, 8)
    .map(({ heading, kept }) => {
      const [main] = byWeight(kept)
      const label = heading ?? (main && labelOf(main, document, labels)) ?? 'More'
      labels.add(label)
      return paragraph(shorten(label, 60), kept)
    })
}

function toolSection({ toolResults }: DemoPrompt): string[] {
  if (toolResults.length === 0) return []
  const lines = toolResults.map(
    ({ name, text }) =>
      `- ${name.replace('__', '.')}: ${shorten(text.replace(/\s+/g, ' ').trim(), 300)}`,
  )
  return [`## From the tools\n\n${lines.join('\n')}`]
}

function keyPoints(document: Document): string[] {
  if (document.sentences.length < 10) return []
  const lines = heaviest(document.sentences, 3).map(({ text }) => `- ${shorten(text, 160)}`)
  return [`## Key points\n\n${lines.join('\n')}`]
}

function paragraph(label: string, sentences: Sentence[]): string {
  return `## ${plainLabel(label)}\n\n${join(sentences)}`
}

/** The heaviest sentences, in the order of the text. */
function heaviest(sentences: Sentence[], count: number): Sentence[] {
  const kept = new Set(byWeight(sentences).slice(0, count))
  return sentences.filter((sentence) => kept.has(sentence))
}

function byWeight(sentences: Sentence[]): Sentence[] {
  return [...sentences].sort((a, b) => b.weight - a.weight)
}

// Scripts without spaces between words have none between sentences either.
function join(sentences: Sentence[]): string {
  return sentences
    .map(({ text }) => text)
    .join(' ')
    .replace(/([。！？]) /gu, '$1')
}

function labelOf(sentence: Sentence, document: Document, taken: Set<string>): string | undefined {
  const words = document.terms.filter((term) => sentence.words.has(term))
  const pairs = words.flatMap((word, index) =>
    words.slice(index + 1, index + 4).map((next) => `${capitalised(word)} and ${next}`),
  )
  return [...words.slice(0, 2).map(capitalised), ...pairs].find((label) => !taken.has(label))
}

function plainLabel(text: string): string {
  return text.replace(/[*_`]/g, '').replace(/[.:。：]+$/u, '')
}

function capitalised(text: string): string {
  return text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
}

function chunks<T>(items: T[], size: number): T[][] {
  const result: T[][] = []
  for (let index = 0; index < items.length; index += size) {
    result.push(items.slice(index, index + size))
  }
  return result
}
