import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { LRUCache } from 'lru-cache'
import type { Example } from './example.ts'

/** Tokens of an example by OpenAI's rules for chat models; an estimate for other tokenizers. */
export function countExampleTokens({ messages }: Example): number {
  let tokens = 3
  for (const { role, content, tool_calls: calls } of messages) {
    // Three tokens around a message, and one for the role.
    tokens += 4 + (role === 'system' ? countRepeated(content ?? '') : count(content ?? ''))
    if (calls !== undefined) tokens += count(JSON.stringify(calls))
  }
  return tokens
}

const repeated = new LRUCache<string, number>({ max: 100 })

/** Cached, because most examples start with the same few instructions. */
function countRepeated(text: string): number {
  const known = repeated.get(text)
  if (known !== undefined) return known
  const tokens = count(text)
  repeated.set(text, tokens)
  return tokens
}

const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
const longestRun = 256
const longRun = new RegExp(`\\S{${longestRun}}|\\s{${longestRun}}`)

// The tokenizer's time is quadratic in the length of a word, so long words are cut.
function count(text: string): number {
  if (text.length < longestRun || !longRun.test(text)) return countTokens(text, asText)
  const pieces = text.match(/[^]{1,256}/gu) ?? []
  return pieces.reduce((sum, piece) => sum + countTokens(piece, asText), 0)
}
