import { setImmediate, setTimeout } from 'node:timers/promises'
import { wholeEnd } from '../safe-text.ts'
import {
  ModelError,
  noUsage,
  type ModelInfo,
  type ModelMessage,
  type ModelTurn,
  type ModelTurnRequest,
} from './contract.ts'
import { fillSchema } from './demo-values.ts'

/**
 * `muster/demo`, a stand-in that lets people try workflows, streaming, tools and approvals without a provider.
 * It is no language model: it arranges sentences of the input, always in the same way, offline and for free,
 * and every text it writes says so. It calls each tool that the task names once, and fills an output schema.
 */
export const demoModel: ModelInfo = {
  id: 'muster/demo',
  provider: 'muster',
  label: 'Muster (offline stand-in)',
  contextWindow: null,
  priceIn: 0,
  priceOut: 0,
  structuredOutput: true,
  available: true,
  kind: 'catalog',
}

export const demoNotice =
  '_Written by `muster/demo`, the offline stand-in: it arranges sentences of the input and is not a language model._'

const wordMs = 8
const bytesPerToken = 4
const maxCharacters = 20_000
const maxSentences = 12

export async function runDemoTurn(request: ModelTurnRequest): Promise<ModelTurn> {
  // Lets other runs have their turn, as nothing here waits for a network.
  await setImmediate()
  checkAborted(request.signal)
  const turn = answer(request)
  for (const word of request.onText === undefined ? [] : (turn.text.match(/\S+\s*|\s+/g) ?? [])) {
    request.onText?.(word)
    await setTimeout(wordMs)
    checkAborted(request.signal)
  }
  return turn
}

function checkAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('aborted', `Cannot run ${demoModel.id}: aborted`)
}

function answer(request: ModelTurnRequest): ModelTurn {
  const { instructions, tools = [], outputSchema, maxOutputTokens = Infinity } = request
  const prompt = readPrompt(request.messages)
  const tokensIn = countTokens(JSON.stringify([instructions, request]))
  const asked = `${instructions}\n${prompt.task}`
  for (const { name, inputSchema } of tools) {
    if (prompt.called.includes(name) || !isNamed(name, asked.toLowerCase())) continue
    const input = fillSchema({ ...inputSchema }, { text: asked, sentences: prompt.sentences }, true)
    if (input === undefined) continue
    const call = { toolName: name, input: JSON.stringify(input) }
    const toolCallId = `demo_${prompt.called.length + 1}`
    const tokens = { tokensIn, tokensOut: countTokens(call.toolName + call.input) }
    const content: ModelTurn['content'] = [{ type: 'tool-call', toolCallId, ...call }]
    return { ...noUsage, ...tokens, content, text: '', finishReason: 'tool-calls' }
  }
  const whole =
    outputSchema === undefined
      ? `${write(instructions, prompt)}\n\n${demoNotice}`
      : JSON.stringify(fillSchema(outputSchema, { text: prompt.task, sentences: prompt.sentences }))
  const text = cutBytes(whole, maxOutputTokens * bytesPerToken)
  const finishReason = text === whole ? 'stop' : 'length'
  const tokens = { tokensIn, tokensOut: countTokens(text) }
  return { ...noUsage, ...tokens, content: [{ type: 'text', text }], text, finishReason }
}

type Prompt = ReturnType<typeof readPrompt>

/** `task` is the run's input, without the outputs of earlier steps. */
function readPrompt(messages: ModelMessage[]) {
  const parts = messages.flatMap<ModelMessage['content'][number]>(({ content }) => content)
  const said = messages
    .flatMap(({ role, content }) => (role === 'user' ? content : []))
    .flatMap((part) => (part.type === 'text' ? part.text : []))
    .join('\n\n')
  const [input = '', ...outputs] = said.split(/^#{1,4} output (?:of|from) .*$/im)
  const task = input.replace(/^\s*#{1,4} (?:(?:original|run|user) )?(?:input|task|request)\n/i, '')
  const source = task.trim() === '' ? (outputs.at(-1) ?? '') : task
  return {
    task: task.trim(),
    sentences: sentencesOf(source.replaceAll(demoNotice, '')),
    called: parts.flatMap((part) => (part.type === 'tool-call' ? part.toolName : [])),
    results: parts.flatMap((part) =>
      part.type === 'tool-result' ? { name: part.toolName, text: resultText(part.output) } : [],
    ),
  }
}

type Output = Extract<ModelMessage['content'][number], { type: 'tool-result' }>['output']

function resultText(output: Output): string {
  if (output.type === 'execution-denied') return `refused: ${output.reason ?? 'no reason given'}`
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value)
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/** Sentences without Markdown's marks; a heading or an item of a list is one. */
function sentencesOf(source: string): string[] {
  const lines = source
    .slice(0, wholeEnd(source, maxCharacters))
    .split('\n')
    .map((line) => line.replace(/^\s*(?:#{1,6}|>|[-*+•]|\d+[.)])\s+|[*_`]/g, '').trim())
  return lines
    .flatMap((line) => [...segmenter.segment(line)].map(({ segment }) => segment.trim()))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
    .slice(0, 200)
}

/** A numbered plan where the instructions ask for one, else a text with what the tools answered. */
function write(instructions: string, { sentences, results }: Prompt): string {
  const [title, ...rest] = sentences
  if (title === undefined) return '# No input\n\nThe input holds no text to work with.'
  const shown = rest.length === 0 ? [title] : rest.slice(0, maxSentences)
  const heading = title.slice(0, wholeEnd(title, 80)).replace(/[.:;,。]+$/u, '')
  if (asksForPlan(instructions)) {
    return `# Plan: ${heading}\n\n${shown.map((text, index) => `${index + 1}. ${text}`).join('\n')}`
  }
  const lines = results.map(({ name, text }) => {
    const line = text.replace(/\s+/g, ' ').trim()
    return `- ${name.replace('__', '.')}: ${line.slice(0, wholeEnd(line, 1_000))}`
  })
  const tools = lines.length === 0 ? '' : `\n\n## From the tools\n\n${lines.join('\n')}`
  return `# ${heading}\n\n${shown.join(' ')}${tools}`
}

/** Phrases that name a tool of one word; other such tools are never called. */
const phrases: Record<string, RegExp> = {
  request_input: /\brequest_input\b|\bask (?:the )?(?:user|human|person|customer|me|us|someone)\b/,
  remember: /\bremember\b|\bkeep in mind\b/,
}

const synonyms: Record<string, string> = { email: '(?:e-?mail|mail)', web: '(?:web|page|https?)' }

/** Whether a text names `email__send` by both words, in any order: "send an email". */
function isNamed(toolName: string, text: string): boolean {
  const words = toolName.toLowerCase().split(/[^a-z0-9]+/)
  const stems = words.filter((word) => word !== '').map((word) => word.replace(/s$/, ''))
  const isSaid = (stem: string): boolean => new RegExp(`\\b${synonyms[stem] ?? stem}`).test(text)
  return phrases[toolName]?.test(text) ?? (stems.length > 1 && stems.every(isSaid))
}

/** An approximation, documented as such: one token for four bytes of UTF-8, rounded up. */
function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}

/** A character that does not fit whole is left out. */
function cutBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes))
  return text.slice(0, read)
}

/** Whether the instructions speak of a plan to write, rather than of one to follow. */
function asksForPlan(instructions: string): boolean {
  const follows = /\b(?:follow(?:ing)?|along|from) (?:the|your|that|this) (?:plan|outline)\b/gi
  return /\b(?:plans?|planner|outlines?)\b/i.test(instructions.replaceAll(follows, ''))
}
