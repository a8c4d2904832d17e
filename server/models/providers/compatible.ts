import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { bearer, type Dialect } from './definition.ts'
import { openaiCallId } from './openai.ts'

/** Any server or gateway that speaks OpenAI's chat completions: Ollama, vLLM, OpenRouter, LiteLLM and many more. */
export const compatible: Dialect = {
  create: ({ apiKey, ...settings }) =>
    createOpenAICompatible({
      ...settings,
      // Used only for models whose settings say that the server takes a schema.
      supportsStructuredOutputs: true,
      // In streams; whole answers have it anyway.
      includeUsage: true,
      ...(apiKey === '' ? {} : { apiKey }),
    }),
  authHeaders: (apiKey) => (apiKey === '' ? {} : bearer(apiKey)),
  callId: openaiCallId,
  callOptions: (strict) =>
    strict === undefined ? {} : { openaiCompatible: { strictJsonSchema: strict } },
  requestIdHeaders: [
    'x-litellm-call-id',
    'x-portkey-trace-id',
    'x-amzn-requestid',
    'apim-request-id',
    'x-correlation-id',
    'helicone-id',
    'cf-aig-log-id',
  ],
}
