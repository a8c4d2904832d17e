import { createAnthropic } from '@ai-sdk/anthropic'
import { withDefaultPath } from './base-url.ts'
import type { ModelFactory, ProviderSettings } from './contract.ts'
import { usageOptional } from './usage-optional.ts'

/** Anthropic through its Messages API. */
export function anthropic({ apiKey, baseUrl, fetch }: ProviderSettings): ModelFactory {
  const provider = createAnthropic({
    apiKey: apiKey ?? '',
    baseURL: withDefaultPath(baseUrl, 'https://api.anthropic.com/v1'),
    fetch: usageOptional(fetch, { input_tokens: 0, output_tokens: 0 }),
  })
  return (modelId) => provider.messages(modelId)
}
