import { findInexact } from '../../exact-json.ts'
import { isDeeperThan, maxDepth } from '../../json-limits.ts'
import { checkValue } from '../../json-schema/schemas.ts'
import { toAssistantMessage } from '../../models/history.ts'
import type { ModelMessage, ModelTurn } from '../../models/contract.ts'
import { isStorableJson } from '../../safe-text.ts'
import { whenRoom, type Caller } from '../../sandbox/sandbox.ts'
import type { ToolCall } from '../run/ledger.ts'

/**
 * The conversation of a step with its model: its turns, and whether the last answer is acceptable.
 */

/** One turn: the model's message and its tool calls. */
export interface Turn {
  number: number
  message: ModelMessage
  calls: ToolCall[]
  /** Why an answer did not fit its schema; such a turn has no calls. */
  problem: string | null
}

/** The messages of a step so far, in the model's order. */
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

/**
 * The output of a step whose model ends with an empty message: its earlier texts, or else the
 * results of its tools.
 */
function fallbackOutput(turns: Turn[]): string {
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

/**
 * Whether an answer ends its step. Without a schema, any does. With one, it must be an object that
 * fits; otherwise the model is told what is wrong, at most twice. A cut answer is never accepted,
 * even if it happens to fit, and not asked for again, because it would be cut again.
 */
export type Checked =
  | { kind: 'fits'; output: string; outputJson: string | undefined }
  | { kind: 'wrong'; problem: string }
  | { kind: 'failed'; problem: string; message: string }

const maxRepairs = 2

export async function checkAnswer(
  caller: Omit<Caller, 'action'>,
  { text, finishReason, tokensOut }: ModelTurn,
  schema: string | undefined,
  turns: Turn[],
): Promise<Checked> {
  if (schema === undefined) {
    const output = text.trim() === '' ? fallbackOutput(turns) : text
    return { kind: 'fits', output, outputJson: undefined }
  }
  if (finishReason === 'length') {
    const problem = `cut at ${tokensOut} tokens`
    return { kind: 'failed', problem, message: `the answer was ${problem}` }
  }
  const read = await readObject(caller, text, schema)
  if (read.problem === undefined) return { kind: 'fits', output: text, outputJson: read.json }
  const { problem } = read
  const repairs = turns.filter((turn) => turn.problem !== null).length
  if (repairs < maxRepairs) return { kind: 'wrong', problem }
  const message = `the answer does not fit its output_schema after ${repairs} repairs: ${problem}`
  return { kind: 'failed', problem, message }
}

/** The turn of an answer that does not fit, as it is stored and sent back to the model. */
export function sendBack({ content }: ModelTurn, number: number, problem: string): Turn {
  return { number, message: toAssistantMessage(content), calls: [], problem }
}

type Read = { json: string; problem?: undefined } | { problem: string }

async function readObject(by: Omit<Caller, 'action'>, text: string, schema: string): Promise<Read> {
  const written = candidates(text).find(isJson)
  if (written === undefined) return { problem: 'it is not JSON' }
  const value: unknown = JSON.parse(written)
  const inexact = findInexact(written)
  if (inexact !== undefined)
    return { problem: `the number ${inexact} is too large to be kept exactly` }
  if (isDeeperThan(value, maxDepth))
    return { problem: `it is nested more than ${maxDepth} levels deep` }
  const json = JSON.stringify(value)
  if (!isStorableJson(json)) return { problem: 'it holds a NUL or an unpaired surrogate' }
  const caller = { ...by, action: 'check answer' }
  const problem = await whenRoom(() => checkValue(caller, schema, value, 'the answer'))
  return problem === undefined ? { json } : { problem: problem.why }
}

/**
 * Without a JSON mode, models often wrap their answer in a code block, on one line or several, with
 * text around it. Two code blocks are ambiguous, so neither is accepted.
 */
function candidates(text: string): string[] {
  const trimmed = text.trim()
  const isFenced = trimmed.startsWith(fence) && trimmed.endsWith(fence) && trimmed.length > 5
  const [, block = '', ...behind] = trimmed.split(fence)
  const inside = isFenced ? [trimmed.slice(fence.length, -fence.length)] : []
  if (behind.length === 1) inside.push(block)
  return [trimmed, ...inside.map((written) => written.replace(/^[\w-]+/, ''))]
}

const fence = '```'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
