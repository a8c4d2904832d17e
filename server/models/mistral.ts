import { createMistral } from '@ai-sdk/mistral'
import { withDefaultPath } from './base-url.ts'
import type { ModelFactory, ProviderSettings } from './contract.ts'
import { usageOptional } from './usage-optional.ts'

/** Mistral through its chat completions. */
export function mistral({ apiKey, baseUrl, fetch }: ProviderSettings): ModelFactory {
  const provider = createMistral({
    apiKey: apiKey ?? '',
    baseURL: withDefaultPath(baseUrl, 'https://api.mistral.ai/v1'),
    fetch: usageOptional(fetch, { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }),
  })
  return (modelId) => provider.chat(modelId)
}
