import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { countCompatible } from './compatible-usage.ts'
import { bearer, type Dialect } from './definition.ts'
import { openaiCallId } from './openai.ts'
import { thoughtsOf, withThoughts } from './thoughts.ts'

/** Any server or gateway that speaks OpenAI's chat completions: Ollama, vLLM, OpenRouter, LiteLLM and many more. */
export const compatible: Dialect = {
  create: ({ apiKey, ...settings }) => {
    const sdk = createOpenAICompatible({
      ...settings,
      // Used only for models whose settings say that the server takes a schema.
      supportsStructuredOutputs: true,
      // In streams; whole answers have it anyway.
      includeUsage: true,
      convertUsage: countCompatible,
      metadataExtractor: thoughtsOf(settings.name),
      ...(apiKey === '' ? {} : { apiKey }),
    })
    return (modelId) => withThoughts(sdk(modelId), settings.name)
  },
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
