import type { LanguageModelV4Usage } from '@ai-sdk/provider'

/**
 * Token counts of a server that speaks OpenAI's chat completions. Their names differ: DeepSeek, Moonshot, OpenRouter,
 * LiteLLM and others each count what is cached in a field of their own.
 */
export function countCompatible(usage: unknown): LanguageModelV4Usage {
  const prompt = read(usage, 'prompt_tokens') ?? 0
  const completion = read(usage, 'completion_tokens') ?? 0
  const total = read(usage, 'total_tokens') ?? 0
  const inDetails = field(usage, 'prompt_tokens_details')
  const outDetails = field(usage, 'completion_tokens_details')
  const cacheRead = most([
    read(inDetails, 'cached_tokens'),
    read(usage, 'prompt_cache_hit_tokens'),
    read(usage, 'cached_tokens'),
    read(usage, 'num_cached_tokens'),
    read(usage, 'cache_read_input_tokens'),
  ])
  const cacheWrite = most([
    read(inDetails, 'cache_write_tokens'),
    read(inDetails, 'cache_creation_tokens'),
    read(usage, 'cache_write_tokens'),
    read(usage, 'cache_creation_input_tokens'),
  ])
  // Some servers leave the tokens of reasoning out of `completion_tokens`, but bill and total them.
  const output = Math.max(completion, prompt > 0 ? total - prompt : 0)
  const reasoning = most([
    read(outDetails, 'reasoning_tokens'),
    read(usage, 'reasoning_tokens'),
    output - completion,
  ])
  return {
    inputTokens: { total: prompt, noCache: prompt - cacheRead, cacheRead, cacheWrite },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
  }
}

/** Twice the largest model's context window: no call uses more. */
export const maxTokens = 20_000_000

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined
}

/** A count that a call can have; undefined for any other value. */
function read(value: unknown, name: string): number | undefined {
  const count = field(value, name)
  return typeof count === 'number' && count >= 0 && count <= maxTokens ? count : undefined
}

function most(counts: (number | undefined)[]): number {
  return counts.reduce<number>((most, count = 0) => Math.max(most, count), 0)
}
