import { setTimeout as delay } from 'node:timers/promises'
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  ModelError,
  noUsage,
  type ModelTurn,
  type ModelTurnRequest,
} from '../../models/contract.ts'
import type { Models } from '../../models/models.ts'
import { decideRetry } from '../../models/retry.ts'
import { addUsage, type Usage } from '../state/run.ts'

/** One turn of a model, tried again while that may help. */
export interface TurnRequest extends ModelTurnRequest {
  model: string
  /** Failed calls of this step before. */
  tries: number
}

/** `usage` is that of all calls made here, failed ones included. */
export type TurnOutcome = { usage: Usage } & (
  | { kind: 'answered'; turn: ModelTurn; durationMs: number }
  | { kind: 'failed'; message: string }
  | { kind: 'put-off'; tries: number; delaySeconds: number }
  | { kind: 'aborted'; tries: number }
)

/** A longer wait gives the slot back. */
const maxWaitInSlotMs = 5_000

export async function takeTurn(models: Models, request: TurnRequest): Promise<TurnOutcome> {
  const { model, tries: before, ...turnRequest } = request
  const { signal } = request
  let tries = before
  let usage = noUsage
  for (;;) {
    try {
      const beganAt = performance.now()
      const turn = await callModel(models, model, turnRequest)
      const durationMs = Math.round(performance.now() - beganAt)
      return { kind: 'answered', turn, durationMs, usage: addUsage(usage, turn) }
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      usage = addUsage(usage, error.usage)
      if (signal.aborted) return { kind: 'aborted', tries, usage }
      tries++
      const decision = decideRetry(error, tries)
      if (decision.kind === 'fail') {
        const after = tries > 1 ? ` (after ${tries} tries)` : ''
        const why = decision.why === undefined ? '' : `: ${decision.why}`
        return { kind: 'failed', message: error.message + after + why, usage }
      }
      if (decision.delayMs > maxWaitInSlotMs) {
        const delaySeconds = Math.ceil(decision.delayMs / 1000)
        return { kind: 'put-off', tries, delaySeconds, usage }
      }
      await delay(decision.delayMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return { kind: 'aborted', tries, usage }
    }
  }
}

/** A model call under a span of OpenTelemetry's conventions for generative AI. */
async function callModel(
  models: Models,
  model: string,
  request: ModelTurnRequest,
): Promise<ModelTurn> {
  const options = {
    kind: SpanKind.CLIENT,
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model },
  }
  return trace.getTracer('muster').startActiveSpan(`chat ${model}`, options, async (span) => {
    try {
      const turn = await models.runTurn(model, request)
      span.setAttributes({
        'gen_ai.usage.input_tokens': turn.tokensIn,
        'gen_ai.usage.output_tokens': turn.tokensOut,
        'gen_ai.response.finish_reasons': [turn.finishReason],
      })
      return turn
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      if (error instanceof ModelError) span.setAttribute('error.type', error.kind)
      throw error
    } finally {
      span.end()
    }
  })
}
