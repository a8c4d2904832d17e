import type { LanguageModelV4Content } from '@ai-sdk/provider'
import { isStorableJson, storable } from '../safe-text.ts'

/*
 * Repairs answers of servers that keep to their API loosely: the bytes before the SDK reads them (`mendAnswer`), and
 * the content that it read (`tidyAnswer`).
 */

/**
 * Repairs an answer that its SDK would refuse: one without token counts, and tool calls whose arguments are not text.
 * Works on the text of the JSON, without parsing it, so that numbers keep the form in which they were written.
 */
export function mendAnswer(bytes: Buffer, emptyUsage: Record<string, number> | undefined): Buffer {
  const hasCalls = bytes.includes(signOfCalls)
  if (!hasCalls && emptyUsage === undefined) return bytes
  const text = bytes.toString()
  const withCalls = hasCalls ? withTextArguments(text) : text
  const mended = emptyUsage === undefined ? withCalls : withUsage(withCalls, emptyUsage)
  return mended === text ? bytes : Buffer.from(mended)
}

/** Part of `tool_calls` and `function_call`. Searching bytes takes a third of the time. */
const signOfCalls = Buffer.from('_call')

// A quote inside a string has a backslash before it, so these match keys only.
const emptyUsageField = /(?<!\\)"usage"\s*:\s*(?:null|\{\s*\})/
const usageKey = /(?<!\\)"usage"\s*:/

function withUsage(text: string, emptyUsage: Record<string, number>): string {
  const usage = `"usage":${JSON.stringify(emptyUsage)}`
  if (!usageKey.test(text)) return text.replace(/^\s*\{\s*(?=")/, `{${usage},`)
  return text.replace(emptyUsageField, usage)
}

const oddArguments = /(?<!\\)"arguments"\s*:\s*(?=null|\{)/g
/** A call with a name and without arguments. */
const callWithout =
  /\{(?=[^{}]*"name")(?![^{}]*"arguments")(?<=(?<!\\)"function"\s*:\s*\{)|\{(?=[^{}]*"type"\s*:\s*"function_call")(?![^{}]*"arguments")/g

function withTextArguments(text: string): string {
  const source = text.replace(callWithout, '{"arguments":"{}",')
  let mended = ''
  let done = 0
  oddArguments.lastIndex = 0
  for (let found = oddArguments.exec(source); found !== null; found = oddArguments.exec(source)) {
    const start = found.index + found[0].length
    const isNull = source.startsWith('null', start)
    const end = isNull ? start + 4 : endOfObject(source, start)
    mended += source.slice(done, start) + JSON.stringify(isNull ? '{}' : source.slice(start, end))
    done = end
    oddArguments.lastIndex = end
  }
  return mended + source.slice(done)
}

/** Index after the bracket that closes the one at `start`; the text's length if none does. */
function endOfObject(text: string, start: number): number {
  let depth = 0
  let isText = false
  for (let place = start; place < text.length; place += 1) {
    const character = text[place]
    if (character === '\\') place += 1
    else if (character === '"') isText = !isText
    else if (!isText && character === '{') depth += 1
    else if (!isText && character === '}' && --depth === 0) return place + 1
  }
  return text.length
}

/**
 * A model's answer in the one form that is stored, shown to people and sent to later turns: thinking is separated from
 * the text, arguments are JSON text, and PostgreSQL can store all of it.
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
  // JSON escapes the characters that cannot be stored, and few others, like this.
  if (!json.includes('\\u') || isStorableJson(json)) return { content: tidy, bytes }
  const clean = JSON.parse(json, (_, value: unknown) =>
    typeof value === 'string' ? storable(value) : value,
  ) as LanguageModelV4Content[]
  return { content: clean, bytes }
}

type Text = Extract<LanguageModelV4Content, { type: 'text' }>

const thinking = /^\s*<think>([\s\S]*?)(?:<\/think>\s*|$)/

/** Servers without a reasoning parser put the reasoning before the answer. */
function splitThinking(part: Text): LanguageModelV4Content[] {
  const [whole, thought] = part.text.includes('<think>') ? (thinking.exec(part.text) ?? []) : []
  if (whole === undefined || thought === undefined) return [part]
  const text = part.text.slice(whole.length)
  return [
    ...(thought.trim() === '' ? [] : [{ type: 'reasoning' as const, text: thought.trim() }]),
    ...(text === '' ? [] : [{ ...part, text }]),
  ]
}

/** OpenAI's word for a text before the answer, such as a plan for the next calls. */
export function isCommentary({ providerMetadata = {} }: Pick<Text, 'providerMetadata'>): boolean {
  return Object.values(providerMetadata).some(({ phase }) => phase === 'commentary')
}

/** What the model says: its answer without commentary, or the commentary if that is all. */
export function spokenText(content: LanguageModelV4Content[]): string {
  const texts = content.filter((part) => part.type === 'text')
  const answer = texts.filter((part) => !isCommentary(part))
  return (answer.length > 0 ? answer : texts).map(({ text }) => text).join('')
}

/** Longest blank text before an answer that is held back. */
const maxBlank = 1_000

/** Passes streamed text on, except for thinking at its beginning. */
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
        // Keeps enough to recognize a closing tag that arrives in pieces.
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

/** Some servers send `null`, nothing, or JSON within a JSON string in place of an object of arguments. */
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

/** Undefined for text that is not JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
