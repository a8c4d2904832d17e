import { createMistral } from '@ai-sdk/mistral'
import { withDefaultPath } from './base-url.ts'
import type { ModelFactory, ProviderSettings } from './contract.ts'

/** Mistral through its chat completions. */
export function mistral({ apiKey, baseUrl, fetch }: ProviderSettings): ModelFactory {
  const provider = createMistral({
    apiKey: apiKey ?? '',
    baseURL: withDefaultPath(baseUrl, 'https://api.mistral.ai/v1'),
    fetch,
  })
  return (modelId) => provider.chat(modelId)
}
