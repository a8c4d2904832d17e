import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createModels, type ServerModels } from './models.ts'
import { builtInProviders } from './providers/built-ins.ts'
import type { ProvidersConfig } from './provider.ts'
import {
  chatWire,
  geminiWire,
  messagesWire,
  responsesWire,
  type Wire,
} from './test-provider-wire.ts'

/** For tests only: how each provider is called and how its answers look on the wire. */
export interface ProviderCase {
  id: string
  modelId: string
  /** USD for a million tokens, as in the catalog or in the test's models file. */
  prices: { in: number; out: number }
  /** The model's `structured_output` in the models file. */
  structuredOutput?: boolean
  keyHeader: [name: string, value: string]
  path: string
  wire: Wire
  text(text: string, usage?: Usage): unknown
  toolCall(name: string, input: object): unknown
  filtered(): unknown
  failure(message: string): unknown
  /** An error event within a stream, which says that the provider is overloaded. */
  streamError(message: string): object
  /** Reads the output schema out of a request body. */
  schemaIn(body: never): unknown
}

interface Usage {
  in: number
  out: number
}

export const testKey = 'test-key-0123456789abcdef'

interface Limits {
  maxConcurrency?: number
  timeoutSeconds?: number
  onNotice?: (message: string) => void
}

export function withoutKeys(): ProvidersConfig['providers'] {
  const none = { apiKey: undefined, baseUrl: undefined }
  return Object.fromEntries(
    builtInProviders.map(({ id }) => [id, none]),
  ) as ProvidersConfig['providers']
}

/** Models with the deployment of one provider case; the models file is in a folder of its own. */
export async function createCaseModels(
  { id, modelId, prices, structuredOutput }: ProviderCase,
  baseUrl: string,
  limits: Limits = {},
): Promise<ServerModels> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-models-'))
  const provider = {
    id,
    max_concurrency: limits.maxConcurrency,
    timeout_seconds: limits.timeoutSeconds,
  }
  const custom = id === 'house'
  const house = { ...provider, base_url: `${baseUrl}/v1`, api_key_env: 'HOUSE_KEY' }
  const model = {
    id: modelId,
    provider: id,
    model: 'tiny',
    price_in: prices.in,
    price_out: prices.out,
    structured_output: structuredOutput,
  }
  const providers = withoutKeys()
  if (!custom) providers[id as keyof typeof providers] = { apiKey: testKey, baseUrl }
  const modelsFile = join(folder, 'models.json')
  const file = custom ? { providers: [house], models: [model] } : { providers: [provider] }
  writeFileSync(modelsFile, JSON.stringify(file))
  try {
    return await createModels(
      {
        providers,
        modelsFile,
        sharesModelKeys: true,
        defaultModel: undefined,
        runConcurrency: 50,
      },
      { HOUSE_KEY: testKey },
      undefined,
      limits.onNotice,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function chatCompletion(message: object, finishReason: string, usage?: Usage): unknown {
  return {
    id: 'chat-1',
    object: 'chat.completion',
    created: 1,
    model: 'tiny',
    choices: [
      { index: 0, message: { role: 'assistant', ...message }, finish_reason: finishReason },
    ],
    ...(usage === undefined
      ? {}
      : {
          usage: {
            prompt_tokens: usage.in,
            completion_tokens: usage.out,
            total_tokens: usage.in + usage.out,
          },
        }),
  }
}

const chat: Pick<ProviderCase, 'path' | 'wire' | 'text' | 'toolCall'> = {
  wire: chatWire,
  path: '/v1/chat/completions',
  text: (text, usage) => chatCompletion({ content: text }, 'stop', usage),
  toolCall: (name, input) =>
    chatCompletion(
      {
        content: '',
        tool_calls: [
          {
            id: 'call_0001',
            type: 'function',
            function: { name, arguments: JSON.stringify(input) },
          },
        ],
      },
      'tool_calls',
      { in: 20, out: 9 },
    ),
}

function response(output: object[], rest: object = {}): unknown {
  return { id: 'resp_1', object: 'response', created_at: 1, model: 'tiny', output, ...rest }
}

function message(content: object[], stopReason: string, usage?: Usage): unknown {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'tiny',
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    ...(usage === undefined ? {} : { usage: { input_tokens: usage.in, output_tokens: usage.out } }),
  }
}

function candidate(parts: object[], finishReason: string, usage?: Usage): unknown {
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason }],
    ...(usage === undefined
      ? {}
      : {
          usageMetadata: {
            promptTokenCount: usage.in,
            candidatesTokenCount: usage.out,
            totalTokenCount: usage.in + usage.out,
          },
        }),
  }
}

export const providerCases: ProviderCase[] = [
  {
    id: 'openai',
    modelId: 'gpt-4.1-mini',
    prices: { in: 0.4, out: 1.6 },
    keyHeader: ['authorization', `Bearer ${testKey}`],
    path: '/v1/responses',
    wire: responsesWire,
    text: (text, usage) =>
      response(
        [
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ],
        usage === undefined ? {} : { usage: { input_tokens: usage.in, output_tokens: usage.out } },
      ),
    toolCall: (name, input) =>
      response(
        [
          {
            type: 'function_call',
            id: 'fc_1',
            call_id: 'call_0001',
            name,
            arguments: JSON.stringify(input),
            status: 'completed',
          },
        ],
        { usage: { input_tokens: 20, output_tokens: 9 } },
      ),
    filtered: () => response([], { incomplete_details: { reason: 'content_filter' } }),
    failure: (message) => ({ error: { message, type: 'invalid_request_error', code: null } }),
    streamError: (message) => ({
      type: 'error',
      code: 'server_error',
      message,
      param: null,
      sequence_number: 3,
    }),
    schemaIn: ({ text }: { text: { format: unknown } }) => text.format,
  },
  {
    id: 'anthropic',
    modelId: 'claude-sonnet-4-5',
    prices: { in: 3, out: 15 },
    keyHeader: ['x-api-key', testKey],
    path: '/v1/messages',
    wire: messagesWire,
    text: (text, usage) => message([{ type: 'text', text }], 'end_turn', usage),
    toolCall: (name, input) =>
      message([{ type: 'tool_use', id: 'call_0001', name, input }], 'tool_use', { in: 20, out: 9 }),
    filtered: () => message([], 'refusal', { in: 20, out: 1 }),
    failure: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
    streamError: (message) => ({ type: 'error', error: { type: 'overloaded_error', message } }),
    schemaIn: (body: { output_config: { format: unknown } }) => body.output_config.format,
  },
  {
    id: 'google',
    modelId: 'gemini-2.5-flash',
    prices: { in: 0.3, out: 2.5 },
    keyHeader: ['x-goog-api-key', testKey],
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    wire: geminiWire,
    text: (text, usage) => candidate([{ text }], 'STOP', usage),
    toolCall: (name, input) =>
      candidate([{ functionCall: { name, args: input } }], 'STOP', { in: 20, out: 9 }),
    filtered: () => candidate([], 'SAFETY', { in: 20, out: 1 }),
    failure: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
    streamError: (message) => ({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
    schemaIn: (body: { tools: { functionDeclarations: { name: string }[] }[] }) =>
      body.tools[0]?.functionDeclarations.find(({ name }) => name === 'json'),
  },
  {
    id: 'mistral',
    modelId: 'mistral-small-latest',
    prices: { in: 0.15, out: 0.6 },
    keyHeader: ['authorization', `Bearer ${testKey}`],
    ...chat,
    filtered: () => chatCompletion({ content: '' }, 'content_filter', { in: 20, out: 1 }),
    failure: (message) => ({ object: 'error', message, type: 'invalid', param: null, code: null }),
    streamError: (message) => ({
      object: 'error',
      message,
      type: 'internal_server_error',
      code: 503,
    }),
    schemaIn: (body: { response_format: { json_schema: unknown } }) =>
      body.response_format.json_schema,
  },
  {
    id: 'house',
    modelId: 'house/tiny',
    prices: { in: 1, out: 2 },
    keyHeader: ['authorization', `Bearer ${testKey}`],
    ...chat,
    filtered: () => chatCompletion({ content: '' }, 'content_filter', { in: 20, out: 1 }),
    failure: (message) => ({ error: { message, type: 'invalid_request_error' } }),
    streamError: (message) => ({ error: { message, code: 503 } }),
    // The models file does not say that the model takes schemas, so the instructions contain it.
    schemaIn: (body: { messages: { content: string }[] }) => body.messages[0]?.content,
  },
]
