import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { Example } from './example.ts'

/**
 * Tokens of an example as chat models count them: for other tokenizers than OpenAI's an estimate.
 */
export function countExampleTokens({ messages }: Example): number {
  let tokens = 3
  for (const { role, content, tool_calls: calls } of messages) {
    tokens += 3 + count(role) + count(content ?? '')
    if (calls !== undefined) tokens += count(JSON.stringify(calls))
  }
  return tokens
}

const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
const longRun = /\S{256}|\s{256}/

// The tokenizer takes time with the square of a run without a break, so long ones are cut.
function count(text: string): number {
  if (!longRun.test(text)) return countTokens(text, asText)
  const pieces = text.match(/[^]{1,256}/gu) ?? []
  return pieces.reduce((sum, piece) => sum + countTokens(piece, asText), 0)
}
