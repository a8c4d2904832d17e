import type { LanguageModelV4Content, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import type { Attributes } from '@opentelemetry/api'
import type { ModelMessage, ModelTurn, ModelTurnRequest } from '../models/contract.ts'

/**
 * Prompts, answers, arguments and results as attributes of spans, by OpenTelemetry's conventions for
 * generative AI. They are sent only if the operator asks for them. Bytes of files are never sent.
 */
let isCaptured = false

/** Switches content on or off for this process. */
export function captureContent(isOn: boolean): void {
  isCaptured = isOn
}

/** Bytes of the texts in one attribute; receivers refuse or cut what is much longer. */
export const maxContentBytes = 48_000

export function contentOfRequest({
  instructions,
  messages,
}: Pick<ModelTurnRequest, 'instructions' | 'messages'>): Attributes {
  if (!isCaptured) return {}
  const cut = shortener()
  // The newest messages say most, so they are cut last.
  const shown = messages.toReversed().map((message) => toMessage(message, cut))
  return {
    'gen_ai.system_instructions': JSON.stringify([toText(instructions, shortener())]),
    'gen_ai.input.messages': JSON.stringify(shown.toReversed()),
  }
}

export function contentOfTurn({
  content,
  finishReason,
}: Pick<ModelTurn, 'content' | 'finishReason'>): Attributes {
  if (!isCaptured) return {}
  const cut = shortener()
  const parts = content.map((part) => toPart(part, cut))
  const message = { role: 'assistant', parts, finish_reason: finishReason }
  return { 'gen_ai.output.messages': JSON.stringify([message]) }
}

export function contentOfArguments(input: unknown): Attributes {
  if (!isCaptured || input === null) return {}
  return { 'gen_ai.tool.call.arguments': JSON.stringify(toValue(input, shortener())) }
}

export function contentOfResult(output: string): Attributes {
  return isCaptured ? { 'gen_ai.tool.call.result': shortener()(output) } : {}
}

type Cut = (text: string) => string
type Part = { type: string } & Record<string, unknown>

/** Shortens texts to what is left of an attribute's bytes. */
function shortener(): Cut {
  let left = maxContentBytes
  return (text) => {
    const { read, written } = new TextEncoder().encodeInto(text, new Uint8Array(left))
    left -= written
    return read === text.length ? text : `${text.slice(0, read)}…`
  }
}

function toMessage({ role, content }: ModelMessage, cut: Cut): object {
  const parts = content.toReversed().map((part) => toPart(part, cut))
  return { role, parts: parts.toReversed() }
}

type AnyPart = ModelMessage['content'][number] | LanguageModelV4Content

function toPart(part: AnyPart, cut: Cut): Part {
  switch (part.type) {
    case 'text':
      return toText(part.text, cut)
    case 'reasoning':
      return { type: 'reasoning', content: cut(part.text) }
    case 'file':
      return { type: 'file', mime_type: part.mediaType }
    case 'tool-call': {
      const { toolCallId: id, toolName: name, input } = part
      return { type: 'tool_call', id, name, arguments: toValue(input, cut) }
    }
    case 'tool-result': {
      const output = 'output' in part ? valueOf(part.output) : part.result
      return { type: 'tool_call_response', id: part.toolCallId, response: toValue(output, cut) }
    }
    default:
      return { type: part.type }
  }
}

function toText(text: string, cut: Cut): Part {
  return { type: 'text', content: cut(text) }
}

function valueOf(output: LanguageModelV4ToolResultPart['output']): unknown {
  return output.type === 'execution-denied' ? (output.reason ?? null) : output.value
}

/** The value, or its beginning as a text if it is too long. */
function toValue(value: unknown, cut: Cut): unknown {
  if (typeof value === 'string') return cut(value)
  const json = JSON.stringify(value) ?? 'null'
  const shown = cut(json)
  return shown === json ? value : shown
}
