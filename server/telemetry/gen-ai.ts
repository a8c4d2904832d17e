import {
  context,
  createContextKey,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
} from '@opentelemetry/api'
import { ModelError, type ModelTurn, type ModelTurnRequest } from '../models/contract.ts'
import type { ToolResult } from '../tools/contract.ts'
import {
  contentOfArguments,
  contentOfRequest,
  contentOfResult,
  contentOfTurn,
} from './gen-ai-content.ts'

/**
 * Spans of agents, model calls and tools, by OpenTelemetry's conventions for generative AI. They hold names, counts and
 * ids; prompts, answers, arguments and results are in them only if the operator asks for content.
 */
interface AgentOfSpan {
  runId: string
  role: string
  /** Of a standing agent. */
  agentId: string | null
  model: string
}

interface ToolCallOfSpan {
  tool: string
  id: string
  providerCallId: string
  input: object | null
}

const conversation = createContextKey('muster.conversation')

const attributesOfRun = (): Attributes => {
  const runId = context.active().getValue(conversation)
  return typeof runId === 'string' ? { 'gen_ai.conversation.id': runId } : {}
}

/** Names of the conventions for providers whose id here is another. */
const providerNames: Record<string, string> = { google: 'gcp.gemini', mistral: 'mistral_ai' }

/** A step of a run. */
export function traceAgent<Result>(
  { runId, role, agentId, model }: AgentOfSpan,
  work: () => Promise<Result>,
): Promise<Result> {
  const attributes = (): Attributes => ({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.conversation.id': runId,
    'gen_ai.agent.name': role,
    ...(agentId !== null && { 'gen_ai.agent.id': agentId }),
    'gen_ai.request.model': model,
  })
  return inSpan(`invoke_agent ${role}`, { kind: SpanKind.INTERNAL, attributes }, (span) =>
    span.isRecording()
      ? context.with(context.active().setValue(conversation, runId), work)
      : work(),
  )
}

/** A call of a model. */
export function traceChat(
  { model, provider }: { model: string; provider: string | undefined },
  request: Pick<ModelTurnRequest, 'instructions' | 'messages' | 'maxOutputTokens' | 'onText'>,
  call: () => Promise<ModelTurn>,
): Promise<ModelTurn> {
  const { maxOutputTokens, onText } = request
  const attributes = (): Attributes => ({
    ...attributesOfRun(),
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    ...(provider !== undefined && {
      'gen_ai.provider.name': providerNames[provider] ?? provider,
    }),
    ...(maxOutputTokens !== undefined && { 'gen_ai.request.max_tokens': maxOutputTokens }),
    ...(onText !== undefined && { 'gen_ai.request.stream': true }),
  })
  return inSpan(`chat ${model}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    if (span.isRecording()) span.setAttributes(contentOfRequest(request))
    const turn = await call()
    if (!span.isRecording()) return turn
    span.setAttributes(contentOfTurn(turn))
    span.setAttributes({
      'gen_ai.response.finish_reasons': [turn.finishReason],
      ...(turn.responseModel !== undefined && { 'gen_ai.response.model': turn.responseModel }),
      ...(turn.responseId !== undefined && { 'gen_ai.response.id': turn.responseId }),
      'gen_ai.usage.input_tokens': turn.tokensIn,
      'gen_ai.usage.output_tokens': turn.tokensOut,
      'gen_ai.usage.cache_read.input_tokens': turn.tokensCached,
      'gen_ai.usage.cache_creation.input_tokens': turn.tokensCacheWritten,
      'gen_ai.usage.reasoning.output_tokens': turn.tokensReasoning,
    })
    return turn
  })
}

/** A tool call; `ended` takes its result. */
export function traceTool<Result>(
  { tool, id, providerCallId, input }: ToolCallOfSpan,
  work: (ended: (result: ToolResult) => void) => Promise<Result>,
): Promise<Result> {
  const attributes = (): Attributes => ({
    ...attributesOfRun(),
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    // The model's own id, which its messages have too.
    'gen_ai.tool.call.id': providerCallId,
    'muster.call.id': id,
    'gen_ai.tool.type': 'function',
  })
  return inSpan(`execute_tool ${tool}`, { kind: SpanKind.INTERNAL, attributes }, async (span) => {
    if (span.isRecording()) span.setAttributes(contentOfArguments(input))
    return work(({ status, output }) => {
      if (status !== 'succeeded') fail(span, status)
      if (span.isRecording()) span.setAttributes(contentOfResult(output))
    })
  })
}

function inSpan<Result>(
  name: string,
  { kind, attributes }: { kind: SpanKind; attributes: () => Attributes },
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  return trace.getTracer('muster').startActiveSpan(name, { kind }, async (span) => {
    // Without an exporter nothing is recorded.
    if (span.isRecording()) span.setAttributes(attributes())
    try {
      return await work(span)
    } catch (error) {
      fail(span, error instanceof ModelError ? error.kind : '_OTHER')
      throw error
    } finally {
      span.end()
    }
  })
}

function fail(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', type)
}
