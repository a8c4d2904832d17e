import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { ModelFactory, ProviderSettings } from './contract.ts'

/** Any endpoint that speaks OpenAI's chat completions: Ollama, vLLM, OpenRouter and many more. */
export function openaiCompatible(settings: ProviderSettings): ModelFactory {
  const { id, apiKey, baseUrl, headers, fetch } = settings
  const provider = createOpenAICompatible({
    name: id,
    baseURL: baseUrl ?? '',
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(headers === undefined ? {} : { headers }),
    fetch,
  })
  return (modelId) => provider.chatModel(modelId)
}
