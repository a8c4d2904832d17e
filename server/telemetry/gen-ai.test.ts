import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { ModelError, noUsage, type ModelTurn } from '../models/contract.ts'
import { traceAgent, traceChat, traceTool } from './gen-ai.ts'

const exporter = new InMemorySpanExporter()
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
context.setGlobalContextManager(new AsyncLocalStorageContextManager())
trace.setGlobalTracerProvider(provider)
after(async () => {
  await provider.shutdown()
  trace.disable()
  context.disable()
})

it('makes spans of an agent, its model calls and its tools in one conversation, without content', async () => {
  const turn: ModelTurn = {
    ...noUsage,
    content: [{ type: 'text', text: 'private answer' }],
    text: 'private answer',
    finishReason: 'stop',
    tokensIn: 20,
    tokensOut: 9,
    tokensCached: 5,
    responseModel: 'gemini-9-001',
    responseId: 'resp_1',
  }
  const agent = { runId: 'run_1', role: 'clerk', agentId: 'agent_1', model: 'gemini-9' }
  await traceAgent(agent, async () => {
    await traceChat(
      { model: 'gemini-9', provider: 'google' },
      { maxOutputTokens: 100 },
      async () => turn,
    )
    await traceTool({ tool: 'email.send', id: 'call_1' }, async () => {
      return { status: 'failed', output: 'private result' }
    })
    const refused = traceChat({ model: 'm', provider: undefined }, {}, () => {
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
    'gen_ai.tool.call.id': 'call_1',
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
