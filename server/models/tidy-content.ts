import type { LanguageModelV4Content } from '@ai-sdk/provider'
import { isStorableJson, storable } from '../storable.ts'

/**
 * A model's answer as it is stored and as it goes on to the next turn, step and person, so that what is sent is
 * what is stored: thinking is apart from the text, arguments are JSON text, and everything can be stored.
 */
export interface TidyAnswer {
  content: LanguageModelV4Content[]
  bytes: number
}

export function tidyAnswer(content: LanguageModelV4Content[]): TidyAnswer {
  const tidy = content.flatMap((part) => {
    if (part.type === 'text') return splitThinking(part)
    return part.type === 'tool-call' ? [{ ...part, input: tidyArguments(part.input) }] : [part]
  })
  const json = JSON.stringify(tidy)
  const bytes = Buffer.byteLength(json)
  // Only characters that cannot be stored, and few others, are escaped like this.
  if (!json.includes('\\u') || isStorableJson(json)) return { content: tidy, bytes }
  const clean = JSON.parse(json, (_, value: unknown) =>
    typeof value === 'string' ? storable(value) : value,
  ) as LanguageModelV4Content[]
  return { content: clean, bytes }
}

type Text = Extract<LanguageModelV4Content, { type: 'text' }>

const thinking = /^\s*<think>([\s\S]*?)(?:<\/think>\s*|$)/

/** Servers without a parser for reasoning put it before the answer. */
function splitThinking(part: Text): LanguageModelV4Content[] {
  const [whole, thought] = part.text.includes('<think>') ? (thinking.exec(part.text) ?? []) : []
  if (whole === undefined || thought === undefined) return [part]
  const text = part.text.slice(whole.length)
  return [
    ...(thought.trim() === '' ? [] : [{ type: 'reasoning' as const, text: thought.trim() }]),
    ...(text === '' ? [] : [{ ...part, text }]),
  ]
}

/** Blank text before an answer is passed on when it is longer than this. */
const maxBlank = 1_000

/** Passes text on while a model speaks, but for the thinking at its beginning. */
export function withoutThinking(onText: (text: string) => void): (text: string) => void {
  let held = ''
  let state: 'start' | 'thinking' | 'after' | 'answer' = 'start'
  return (piece) => {
    if (state === 'answer') return onText(piece)
    held += piece
    if (state === 'start') {
      const start = held.trimStart()
      if (start.length < opening.length && opening.startsWith(start) && held.length <= maxBlank)
        return
      state = start.startsWith(opening) ? 'thinking' : 'answer'
      if (state === 'thinking') held = start.slice(opening.length)
    }
    if (state === 'thinking') {
      const end = held.indexOf(closing)
      if (end === -1) {
        // Enough to see a mark that comes in pieces.
        held = held.slice(1 - closing.length)
        return
      }
      held = held.slice(end + closing.length)
      state = 'after'
    }
    if (state === 'after') {
      held = held.trimStart()
      if (held === '') return
      state = 'answer'
    }
    onText(held)
  }
}

const opening = '<think>'
const closing = '</think>'

/** Servers send `null`, nothing, or a text inside a text where a call has no arguments or an object of them. */
function tidyArguments(input: string | undefined): string {
  let text = input ?? ''
  for (let depth = 0; depth < 3 && !text.startsWith('{'); depth += 1) {
    const value = readJson(text.trim() === '' ? 'null' : text)
    if (value === null) return '{}'
    if (typeof value !== 'string') return text
    text = value
  }
  return text
}

/** Undefined for what is no JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
