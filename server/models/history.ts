import { createHash } from 'node:crypto'
import type { ModelMessage } from './contract.ts'
import type { LanguageModelV4Content } from '@ai-sdk/provider'

/* The conversation of a step: how an answer gets into it, and how it is sent to a provider. */

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>

/**
 * The message that puts an answer back into the conversation, as plain JSON that can be stored. Reasoning and the
 * providers' signatures stay in it: reasoning models refuse tool results without them.
 */
export function toAssistantMessage(content: LanguageModelV4Content[]): AssistantMessage {
  return { role: 'assistant', content: content.flatMap(toPart) }
}

function toPart(part: LanguageModelV4Content): AssistantMessage['content'] {
  const metadata = part.type === 'source' ? undefined : part.providerMetadata
  const options = metadata === undefined ? {} : { providerOptions: metadata }
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.text, ...options }]
    case 'tool-call': {
      const { type, toolCallId, toolName } = part
      return [{ type, toolCallId, toolName, input: toInput(part.input), ...options }]
    }
    default:
      // No provider accepts sources and files back.
      return []
  }
}

/** The arguments of a tool call as an object; providers accept nothing else back. */
function toInput(input: string): unknown {
  try {
    const value: unknown = JSON.parse(input === '' ? '{}' : input)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

type AssistantPart = Extract<ModelMessage, { role: 'assistant' }>['content'][number]

/** The provider that a conversation is sent to. */
export interface Receiver {
  /** Key of the SDK's own data in a message, such as the signature of a thought. */
  id: string
  /** Form of the tool call ids that it accepts. */
  callId: RegExp
}

/**
 * Makes a conversation acceptable to its receiver, also where another model answered before: tool call ids get the
 * form that the provider demands and are unique, and blank text and reasoning that another provider signed are left out.
 */
export function fitHistory(
  messages: ModelMessage[],
  { id: own, callId }: Receiver,
): ModelMessage[] {
  if (messages.length === 1) return messages
  const used = new Set<string>()
  // New ids by stored id, in order, for the calls of the latest assistant message.
  let current = new Map<string, string[]>()
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role === 'tool') {
      const content = message.content.map((part) => {
        if (part.type !== 'tool-result') return part
        const id = current.get(part.toolCallId)?.shift()
        return id === undefined ? part : { ...part, toolCallId: id }
      })
      return [{ ...message, content }]
    }
    if (message.role !== 'assistant') return [message]
    current = new Map()
    const content = message.content.flatMap((part): AssistantPart[] => {
      if (part.type === 'text' && part.text.trim() === '') return []
      if (part.type === 'reasoning' && !Object.hasOwn(part.providerOptions ?? { [own]: {} }, own)) {
        return []
      }
      if (part.type !== 'tool-call') return [part]
      const { toolCallId: stored } = part
      const id = callId.test(stored) && !used.has(stored) ? stored : makeId(stored, used)
      used.add(id)
      current.getOrInsertComputed(stored, () => []).push(id)
      return [{ ...part, toolCallId: id }]
    })
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}

/** Nine letters and digits, the form that every provider accepts. Stable across turns, so that prompt caches hit. */
function makeId(stored: string, used: Set<string>): string {
  for (let count = 0; ; count += 1) {
    const digest = createHash('sha256').update(`${count} ${stored}`).digest()
    const id = digest.readBigUInt64BE().toString(36).padStart(9, '0').slice(-9)
    if (!used.has(id)) return id
  }
}
