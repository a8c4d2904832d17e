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

/**
 * Spans of agents, model calls and tools, by OpenTelemetry's conventions for generative AI. They hold names, counts and
 * ids; prompts, answers, arguments and results are never in them.
 */
interface AgentOfSpan {
  runId: string
  role: string
  /** Of a standing agent. */
  agentId: string | null
  model: string
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
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.conversation.id': runId,
    'gen_ai.agent.name': role,
    ...(agentId !== null && { 'gen_ai.agent.id': agentId }),
    'gen_ai.request.model': model,
  }
  const inRun = context.active().setValue(conversation, runId)
  return context.with(inRun, () =>
    inSpan(`invoke_agent ${role}`, { kind: SpanKind.INTERNAL, attributes }, work),
  )
}

/** A call of a model. */
export function traceChat(
  { model, provider }: { model: string; provider: string | undefined },
  { maxOutputTokens, onText }: Pick<ModelTurnRequest, 'maxOutputTokens' | 'onText'>,
  call: () => Promise<ModelTurn>,
): Promise<ModelTurn> {
  const attributes = {
    ...attributesOfRun(),
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    ...(provider !== undefined && {
      'gen_ai.provider.name': providerNames[provider] ?? provider,
    }),
    ...(maxOutputTokens !== undefined && { 'gen_ai.request.max_tokens': maxOutputTokens }),
    ...(onText !== undefined && { 'gen_ai.request.stream': true }),
  }
  return inSpan(`chat ${model}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    const turn = await call()
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

/** A tool call. */
export function traceTool(
  { tool, id }: { tool: string; id: string },
  call: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const attributes = {
    ...attributesOfRun(),
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.call.id': id,
    'gen_ai.tool.type': 'function',
  }
  return inSpan(`execute_tool ${tool}`, { kind: SpanKind.INTERNAL, attributes }, async (span) => {
    const result = await call()
    if (result.status !== 'succeeded') fail(span, result.status)
    return result
  })
}

function inSpan<Result>(
  name: string,
  options: { kind: SpanKind; attributes: Attributes },
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  return trace.getTracer('muster').startActiveSpan(name, options, async (span) => {
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
