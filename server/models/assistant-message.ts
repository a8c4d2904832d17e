import type { LanguageModelV4Content, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { ModelMessage } from './contract.ts'

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>

/**
 * The message that puts a turn's answer back into the conversation. Plain JSON, so it can be stored.
 * Reasoning and the providers' signatures stay in: reasoning models refuse tool results without them.
 */
export function toAssistantMessage(content: LanguageModelV4Content[]): AssistantMessage {
  return { role: 'assistant', content: content.flatMap(toPart) }
}

function toPart(part: LanguageModelV4Content): AssistantMessage['content'] {
  const options = toOptions(part.type === 'source' ? undefined : part.providerMetadata)
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.text, ...options }]
    case 'tool-call':
      return [
        {
          type: 'tool-call',
          toolCallId: part.toolCallId,
          toolName: part.toolName,
          input: toInput(part.input),
          ...options,
        },
      ]
    default:
      // Sources and files are made for readers, and no provider wants them back.
      return []
  }
}

/** The arguments of a tool call as an object; providers take nothing else back. */
function toInput(input: string): unknown {
  try {
    const value: unknown = JSON.parse(input === '' ? '{}' : input)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function toOptions(metadata: SharedV4ProviderMetadata | undefined): {
  providerOptions?: SharedV4ProviderMetadata
} {
  return metadata === undefined ? {} : { providerOptions: metadata }
}
