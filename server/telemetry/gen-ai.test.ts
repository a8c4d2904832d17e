import assert from 'node:assert/strict'
import { after, afterEach, it } from 'node:test'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { ModelError, noUsage, type ModelTurn, type ModelTurnRequest } from '../models/contract.ts'
import { captureContent, maxContentBytes } from './gen-ai-content.ts'
import { traceAgent, traceChat, traceTool } from './gen-ai.ts'

const exporter = new InMemorySpanExporter()
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
context.setGlobalContextManager(new AsyncLocalStorageContextManager())
trace.setGlobalTracerProvider(provider)
afterEach(() => {
  exporter.reset()
  captureContent(false)
})
after(async () => {
  await provider.shutdown()
  trace.disable()
  context.disable()
})

const turnOf = (fields: Partial<ModelTurn>): ModelTurn => ({
  ...noUsage,
  content: [],
  text: '',
  finishReason: 'stop',
  ...fields,
})

/** A request with each kind of part. */
const asked: Pick<ModelTurnRequest, 'instructions' | 'messages'> = {
  instructions: 'private instructions',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'private question' },
        {
          type: 'file',
          mediaType: 'image/png',
          data: { type: 'data', data: Buffer.from('private bytes') },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'private thought' },
        {
          type: 'tool-call',
          toolCallId: 'toolu_1',
          toolName: 'crm__find',
          input: { q: 'private' },
        },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'toolu_1',
          toolName: 'crm__find',
          output: { type: 'text', value: 'private rows' },
        },
      ],
    },
  ],
}

const called = {
  tool: 'email.send',
  id: 'call_1',
  providerCallId: 'toolu_1',
  input: { to: 'private address' },
}

it('makes spans of an agent, its model calls and its tools in one conversation, without content', async () => {
  const turn = turnOf({
    content: [{ type: 'text', text: 'private answer' }],
    text: 'private answer',
    tokensIn: 20,
    tokensOut: 9,
    tokensCached: 5,
    responseModel: 'gemini-9-001',
    responseId: 'resp_1',
  })
  const agent = { runId: 'run_1', role: 'clerk', agentId: 'agent_1', model: 'gemini-9' }
  await traceAgent(agent, async () => {
    await traceChat(
      { model: 'gemini-9', provider: 'google' },
      { ...asked, maxOutputTokens: 100 },
      async () => turn,
    )
    await traceTool(called, async (ended) => {
      ended({ status: 'failed', output: 'private result' })
    })
    const refused = traceChat({ model: 'm', provider: undefined }, asked, () => {
      return Promise.reject(new ModelError('rate_limited', 'private words'))
    })
    await assert.rejects(refused)
  })
  const spans = exporter.getFinishedSpans()
  const [chat, tool, failed, whole] = spans
  assert.deepEqual(
    spans.map(({ name }) => name),
    ['chat gemini-9', 'execute_tool email.send', 'chat m', 'invoke_agent clerk'],
  )
  assert.deepEqual(chat?.attributes, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.conversation.id': 'run_1',
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.request.model': 'gemini-9',
    'gen_ai.request.max_tokens': 100,
    'gen_ai.response.model': 'gemini-9-001',
    'gen_ai.response.id': 'resp_1',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 20,
    'gen_ai.usage.output_tokens': 9,
    'gen_ai.usage.cache_read.input_tokens': 5,
    'gen_ai.usage.cache_creation.input_tokens': 0,
    'gen_ai.usage.reasoning.output_tokens': 0,
  })
  assert.deepEqual(tool?.attributes, {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.conversation.id': 'run_1',
    'gen_ai.tool.name': 'email.send',
    'gen_ai.tool.call.id': 'toolu_1',
    'muster.call.id': 'call_1',
    'gen_ai.tool.type': 'function',
    'error.type': 'failed',
  })
  assert.equal(failed?.attributes['error.type'], 'rate_limited')
  assert.equal(whole?.attributes['gen_ai.agent.id'], 'agent_1')
  assert.ok(
    [chat, tool, failed].every(
      (span) => span?.parentSpanContext?.spanId === whole?.spanContext().spanId,
    ),
  )
  const shown = spans.map(({ attributes, events, status }) => [attributes, events, status])
  assert.doesNotMatch(JSON.stringify(shown), /private/)
})

it('gives spans their content where the operator asks for it, in the form of the conventions', async () => {
  captureContent(true)
  const content: ModelTurn['content'] = [
    { type: 'text', text: 'the answer' },
    { type: 'tool-call', toolCallId: 'toolu_2', toolName: 'email__send', input: '{"to":"ada"}' },
  ]
  await traceChat({ model: 'm', provider: 'test' }, asked, async () => turnOf({ content }))
  await traceTool(called, async (ended) => ended({ status: 'succeeded', output: 'sent' }))
  await assert.rejects(
    traceChat({ model: 'm', provider: 'test' }, asked, async () => {
      throw new ModelError('timeout', 'late')
    }),
  )
  const [chat, tool, failed] = exporter.getFinishedSpans().map(({ attributes }) => attributes)
  const instructions = [{ type: 'text', content: 'private instructions' }]
  assert.deepEqual(readJson(chat?.['gen_ai.system_instructions']), instructions)
  assert.deepEqual(readJson(chat?.['gen_ai.input.messages']), [
    {
      role: 'user',
      parts: [
        { type: 'text', content: 'private question' },
        { type: 'file', mime_type: 'image/png' },
      ],
    },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'private thought' },
        { type: 'tool_call', id: 'toolu_1', name: 'crm__find', arguments: { q: 'private' } },
      ],
    },
    {
      role: 'tool',
      parts: [{ type: 'tool_call_response', id: 'toolu_1', response: 'private rows' }],
    },
  ])
  assert.deepEqual(readJson(chat?.['gen_ai.output.messages']), [
    {
      role: 'assistant',
      parts: [
        { type: 'text', content: 'the answer' },
        { type: 'tool_call', id: 'toolu_2', name: 'email__send', arguments: '{"to":"ada"}' },
      ],
      finish_reason: 'stop',
    },
  ])
  assert.deepEqual(readJson(tool?.['gen_ai.tool.call.arguments']), { to: 'private address' })
  assert.equal(tool?.['gen_ai.tool.call.result'], 'sent')
  assert.equal(failed?.['gen_ai.input.messages'], chat?.['gen_ai.input.messages'])
})

it('cuts long content, the oldest first, and stays JSON', async () => {
  captureContent(true)
  const messages = Array.from({ length: 30 }, (_, index) => ({
    role: 'user' as const,
    content: [{ type: 'text' as const, text: `${index} ${'😀'.repeat(1_000)}` }],
  }))
  const long = { instructions: 'i'.repeat(100_000), messages }
  await traceChat({ model: 'm', provider: 'test' }, long, async () => turnOf({}))
  await traceTool({ ...called, input: { text: 't'.repeat(100_000) } }, async (ended) =>
    ended({ status: 'succeeded', output: 'o'.repeat(100_000) }),
  )
  const [chat, tool] = exporter.getFinishedSpans().map(({ attributes }) => attributes)
  const shown = readJson(chat?.['gen_ai.input.messages']) as { parts: { content: string }[] }[]
  const texts = shown.map(({ parts }) => parts[0]?.content ?? '')
  assert.equal(texts.length, 30)
  assert.equal(texts.at(-1), `29 ${'😀'.repeat(1_000)}`)
  assert.equal(texts[0], '…')
  assert.ok(texts.every((text) => text.isWellFormed()))
  const bytes = [...Object.values(chat ?? {}), ...Object.values(tool ?? {})].map((value) =>
    Buffer.byteLength(String(value)),
  )
  assert.ok(bytes.every((size) => size < maxContentBytes + 3_000))
  assert.equal(typeof readJson(tool?.['gen_ai.tool.call.arguments']), 'string')
})

function readJson(value: unknown): unknown {
  return JSON.parse(String(value))
}
