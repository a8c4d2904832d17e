import type { ModelMessage } from '../../models/contract.ts'
import type { ToolCall } from '../state/ledger.ts'

/** A turn of a step that uses tools: the model's message, and the calls that it asks for. */
export interface Turn {
  number: number
  message: ModelMessage
  calls: ToolCall[]
  /** What was wrong with it, when it was an answer that did not fit; it asks for nothing then. */
  problem: string | null
}

/** The messages of a step so far, in the order in which the model gets them. */
export function toMessages(input: string, turns: Turn[]): ModelMessage[] {
  return [
    { role: 'user', content: [{ type: 'text', text: input }] },
    ...turns.flatMap((turn): ModelMessage[] => [
      turn.message,
      turn.problem === null
        ? { role: 'tool', content: toResults(turn) }
        : { role: 'user', content: [{ type: 'text', text: sentBack(turn.problem) }] },
    ]),
  ]
}

function sentBack(problem: string): string {
  return (
    `That answer cannot be used: ${problem}. Answer again, with one JSON object that fits the ` +
    'schema and nothing else.'
  )
}

/** A step's output where its model ends without a word: what it wrote before, or else its tools' answers. */
export function whatIsThere(turns: Turn[]): string {
  const said = turns.flatMap(({ message }) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.type === 'text' ? part.text.trim() || [] : []))
      : [],
  )
  const answers = turns.at(-1)?.calls ?? []
  const done = answers.flatMap(({ status, output }) =>
    status === 'succeeded' ? (output ?? []) : [],
  )
  return (said.length > 0 ? said : done).join('\n\n')
}

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>

function toResults({ message, calls }: Turn): ToolMessage['content'] {
  const names = new Map(
    message.role === 'assistant'
      ? message.content.flatMap((part) =>
          part.type === 'tool-call' ? [[part.toolCallId, part.toolName] as const] : [],
        )
      : [],
  )
  return calls.map(({ providerCallId, tool, status, output }) => ({
    type: 'tool-result',
    toolCallId: providerCallId,
    toolName: names.get(providerCallId) ?? tool,
    output: { type: status === 'succeeded' ? 'text' : 'error-text', value: output ?? '' },
  }))
}
