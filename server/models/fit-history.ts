import { createHash } from 'node:crypto'
import type { ModelMessage } from './contract.ts'

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
