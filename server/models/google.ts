import { createGoogle } from '@ai-sdk/google'
import { withDefaultPath } from './base-url.ts'
import type { ModelFactory, ProviderSettings } from './contract.ts'

/** Google's Gemini API with an API key (not Vertex AI). */
export function google({ apiKey, baseUrl, fetch }: ProviderSettings): ModelFactory {
  const provider = createGoogle({
    apiKey: apiKey ?? '',
    baseURL: withDefaultPath(baseUrl, 'https://generativelanguage.googleapis.com/v1beta'),
    fetch,
  })
  return (modelId) => provider.languageModel(modelId)
}
