import { createHash } from 'node:crypto'
import type { ModelMessage } from './contract.ts'

type AssistantPart = Extract<ModelMessage, { role: 'assistant' }>['content'][number]

/** The provider that a conversation is sent to. */
export interface Receiver {
  /** Under which its SDK keeps what is its own in a message, such as the signature of a thought. */
  id: string
  /** Ids of calls that it takes back. */
  callId: RegExp
}

/**
 * A conversation as its receiver takes it, also where another model answered before: ids of calls have the form that the provider
 * demands and are not repeated, text of white space alone is left out, and so are thoughts that another provider
 * has signed.
 */
export function fitHistory(
  messages: ModelMessage[],
  { id: own, callId }: Receiver,
): ModelMessage[] {
  if (messages.length === 1) return messages
  const used = new Set<string>()
  // Of the assistant's last message: the fitted ids by the stored one, in order.
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

/** Nine letters and digits: the one form that every provider takes. The same in each turn, for prompt caches. */
function makeId(stored: string, used: Set<string>): string {
  for (let count = 0; ; count += 1) {
    const digest = createHash('sha256').update(`${count} ${stored}`).digest()
    const id = digest.readBigUInt64BE().toString(36).padStart(9, '0').slice(-9)
    if (!used.has(id)) return id
  }
}
