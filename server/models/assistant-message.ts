import type { LanguageModelV4Content } from '@ai-sdk/provider'
import type { ModelMessage } from './contract.ts'

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
