import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createMistral } from '@ai-sdk/mistral'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ProviderName } from './contract.ts'

/** The SDKs behind one shape. Everything comes from configuration, nothing from the environment. */
export interface Sdk {
  /** Undefined where the models file gives the address. */
  defaultUrl?: string
  /** What an answer without a count of its tokens is read as, where the SDK would refuse it. */
  emptyUsage?: Record<string, number>
  /** Ids of calls that it takes back. */
  callId: RegExp
  /** The headers by which it knows a key. */
  headersOf(apiKey: string): Record<string, string>
  create(settings: {
    name: string
    apiKey: string
    baseURL: string
    headers: Record<string, string>
    fetch: typeof globalThis.fetch
  }): ModelFactory
}

/** The model behind one of the provider's own model ids. */
export type ModelFactory = (modelId: string) => LanguageModelV4

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` })

/** OpenAI's bound; other servers that speak its API give ids of their own form. */
const openaiCallId = /^[\x21-\x7e]{1,64}$/

export const builtIns: Record<ProviderName, Sdk & { label: string; keyName: string }> = {
  openai: {
    label: 'OpenAI',
    keyName: 'OPENAI_API_KEY',
    defaultUrl: 'https://api.openai.com/v1',
    emptyUsage: { input_tokens: 0, output_tokens: 0 },
    callId: openaiCallId,
    headersOf: bearer,
    // The Responses API; the turn's options keep it from storing what it is sent.
    create: ({ apiKey, baseURL, fetch }) => createOpenAI({ apiKey, baseURL, fetch }),
  },
  anthropic: {
    label: 'Anthropic',
    keyName: 'ANTHROPIC_API_KEY',
    defaultUrl: 'https://api.anthropic.com/v1',
    emptyUsage: { input_tokens: 0, output_tokens: 0 },
    callId: /^[a-zA-Z0-9_-]{1,64}$/,
    headersOf: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    create: ({ apiKey, baseURL, fetch }) => createAnthropic({ apiKey, baseURL, fetch }),
  },
  google: {
    label: 'Google',
    keyName: 'GOOGLE_GENERATIVE_AI_API_KEY',
    defaultUrl: 'https://generativelanguage.googleapis.com/v1beta',
    callId: /^[\x21-\x7e]{1,200}$/,
    headersOf: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    // The Gemini API with an API key, not Vertex AI.
    create: ({ apiKey, baseURL, fetch }) => createGoogle({ apiKey, baseURL, fetch }),
  },
  mistral: {
    label: 'Mistral',
    keyName: 'MISTRAL_API_KEY',
    defaultUrl: 'https://api.mistral.ai/v1',
    emptyUsage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    callId: /^[a-zA-Z0-9]{9}$/,
    headersOf: bearer,
    create: ({ apiKey, baseURL, fetch }) => createMistral({ apiKey, baseURL, fetch }),
  },
}

export const builtInIds: readonly string[] = Object.keys(builtIns)

/** Any endpoint that speaks OpenAI's chat completions: Ollama, vLLM, OpenRouter and many more. */
export const openaiCompatible: Sdk = {
  callId: openaiCallId,
  headersOf: (apiKey) => (apiKey === '' ? {} : bearer(apiKey)),
  create: ({ apiKey, ...settings }) =>
    // Only asked for where the models file says that the server has it.
    createOpenAICompatible({
      ...settings,
      supportsStructuredOutputs: true,
      // Of streams; other answers have it.
      includeUsage: true,
      ...(apiKey === '' ? {} : { apiKey }),
    }),
}
