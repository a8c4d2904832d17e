import { setImmediate, setTimeout } from 'node:timers/promises'
import {
  ModelError,
  noUsage,
  type ModelInfo,
  type ModelTurn,
  type ModelTurnRequest,
} from './contract.ts'
import { readDocument } from './demo-document.ts'
import { writeObject } from './demo-object.ts'
import { asksForPlan, readPrompt } from './demo-prompt.ts'
import { chooseToolCall } from './demo-tools.ts'
import { writePlan, writeText } from './demo-writing.ts'

/**
 * `muster/demo`, the stand-in that lets people try everything without a provider. It is no language
 * model: it picks and arranges sentences of the input, always the same way, offline and for free,
 * and every answer says so. Asked for a plan it plans; otherwise it writes, along the plan of an
 * earlier role when there is one; tools that the task names it calls once each.
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

export async function runDemoTurn(request: ModelTurnRequest): Promise<ModelTurn> {
  const turn = await answerTurn(request)
  if (request.onText !== undefined) await speak(turn.text, request.onText, request.signal)
  return turn
}

const wordMs = 8

/** Word by word, as fast as one reads along. */
async function speak(
  text: string,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const word of text.match(/\S+\s*|\s+/g) ?? []) {
    onText(word)
    await setTimeout(wordMs)
    if (signal.aborted) throw new ModelError('aborted', `Cannot run ${demoModel.id}: aborted`)
  }
}

async function answerTurn(request: ModelTurnRequest): Promise<ModelTurn> {
  // Other runs get their turn before and after this one, which does not wait for anything itself.
  await setImmediate()
  if (request.signal.aborted) {
    throw new ModelError('aborted', `Cannot run ${demoModel.id}: the call was aborted`)
  }
  const tokensIn = countTokens(promptText(request))
  const prompt = readPrompt(request)
  const task = prompt.task || prompt.earlier.at(-1)?.text || ''
  const document = readDocument(prompt.files === '' ? task : `${task}\n\n${prompt.files}`)
  const call = chooseToolCall(request.tools ?? [], prompt, document)
  if (call !== undefined) {
    const input = JSON.stringify(call.input)
    const toolCallId = `demo_${prompt.toolCalls.length + 1}`
    return {
      content: [{ type: 'tool-call', toolCallId, toolName: call.name, input }],
      text: '',
      finishReason: 'tool-calls',
      ...noUsage,
      tokensIn,
      tokensOut: countTokens(`${call.name} ${input}`),
    }
  }
  if (request.outputSchema !== undefined) {
    const object = writeObject(request.outputSchema, document, prompt.task)
    return answerObject(object, tokensIn, request.maxOutputTokens)
  }
  const body = asksForPlan(prompt.instructions) ? writePlan(document) : writeText(document, prompt)
  const { text, isCut } = withNotice(body, request.maxOutputTokens ?? Infinity)
  return answer(text, tokensIn, isCut)
}

function answerObject(object: unknown, tokensIn: number, maxTokens = Infinity): ModelTurn {
  const text = JSON.stringify(object, undefined, 2)
  const isCut = countTokens(text) > maxTokens
  return answer(isCut ? cutBytes(text, maxTokens * bytesPerToken) : text, tokensIn, isCut)
}

function answer(text: string, tokensIn: number, isCut: boolean): ModelTurn {
  return {
    content: [{ type: 'text', text }],
    text,
    finishReason: isCut ? 'length' : 'stop',
    ...noUsage,
    tokensIn,
    tokensOut: countTokens(text),
  }
}

const bytesPerToken = 4

/** An approximation, documented as such: one token for four bytes of UTF-8, rounded up. */
export function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}

function promptText({ instructions, messages, tools }: ModelTurnRequest): string {
  const parts = messages.flatMap((message) =>
    message.content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part))),
  )
  return [instructions, ...parts, ...(tools ?? []).map((tool) => JSON.stringify(tool))].join('\n')
}

function withNotice(body: string, maxTokens: number): { text: string; isCut: boolean } {
  const whole = `${body}\n\n${demoNotice}`
  if (countTokens(whole) <= maxTokens) return { text: whole, isCut: false }
  const end = `…\n\n${demoNotice}`
  const maxBytes = maxTokens * bytesPerToken
  const room = maxBytes - Buffer.byteLength(end)
  const text =
    room > 0
      ? `${cutBytes(body, room)}${end}`
      : cutBytes('muster/demo, not a language model: no room for more.', maxBytes)
  return { text, isCut: true }
}

/** A character that does not fit whole is left out. */
function cutBytes(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes))
  return text.slice(0, read)
}
