import { isDeeperThan, maxDepth } from '../../nesting.ts'
import { toAssistantMessage } from '../../models/assistant-message.ts'
import type { ModelTurn } from '../../models/contract.ts'
import type { Validator } from '../../json-schema/validator.ts'
import { isStorableJson } from '../../storable.ts'
import { whatIsThere, type Turn } from './conversation.ts'

/**
 * Whether the answer that would end a step is one. Without a schema any is. With one it has to be an
 * object that fits; otherwise the model is told what is wrong, twice at most. One that was cut is never
 * taken, even where it happens to fit, and asking again would cut it again.
 */
export type Checked =
  | { kind: 'fits'; output: string; outputJson: string | undefined }
  | { kind: 'wrong'; problem: string }
  | { kind: 'failed'; problem: string; message: string }

const maxRepairs = 2

export function checkAnswer(
  { text, finishReason, tokensOut }: ModelTurn,
  validator: Validator | undefined,
  turns: Turn[],
): Checked {
  if (validator === undefined) {
    const output = text.trim() === '' ? whatIsThere(turns) : text
    return { kind: 'fits', output, outputJson: undefined }
  }
  if (finishReason === 'length') {
    const problem = `cut at ${tokensOut} tokens`
    return { kind: 'failed', problem, message: `the answer was ${problem}` }
  }
  const read = readObject(text, validator)
  if (read.problem === undefined) return { kind: 'fits', output: text, outputJson: read.json }
  const { problem } = read
  const repairs = turns.filter((turn) => turn.problem !== null).length
  if (repairs < maxRepairs) return { kind: 'wrong', problem }
  const message = `the answer does not fit its output_schema after ${repairs} repairs: ${problem}`
  return { kind: 'failed', problem, message }
}

/** The turn of an answer that does not fit, as it is stored and sent back. */
export function sendBack({ content }: ModelTurn, number: number, problem: string): Turn {
  return { number, message: toAssistantMessage(content), calls: [], problem }
}

type Read = { json: string; problem?: undefined } | { problem: string }

function readObject(text: string, validator: Validator): Read {
  let value: unknown
  try {
    value = JSON.parse(withoutFence(text))
  } catch {
    return { problem: 'it is not JSON' }
  }
  if (isDeeperThan(value, maxDepth))
    return { problem: `it is nested more than ${maxDepth} levels deep` }
  const json = JSON.stringify(value)
  if (!isStorableJson(json)) return { problem: 'it holds a NUL or an unpaired surrogate' }
  const problem = validator.findProblem(value, 'the answer')
  return problem === undefined ? { json } : { problem: problem.why }
}

/** Models that are not held to JSON by their provider like to put it in a block of code. */
function withoutFence(text: string): string {
  const trimmed = text.trim()
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```')) return trimmed
  return trimmed.slice(trimmed.indexOf('\n') + 1, -3)
}
