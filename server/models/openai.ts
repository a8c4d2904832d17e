import { createOpenAI } from '@ai-sdk/openai'
import { withDefaultPath } from './base-url.ts'
import type { ModelFactory, ProviderSettings } from './contract.ts'

/** OpenAI through its Responses API; the turn's options keep it from storing what it is sent. */
export function openai({ apiKey, baseUrl, fetch }: ProviderSettings): ModelFactory {
  const provider = createOpenAI({
    apiKey: apiKey ?? '',
    baseURL: withDefaultPath(baseUrl, 'https://api.openai.com/v1'),
    fetch,
  })
  return (modelId) => provider.responses(modelId)
}
