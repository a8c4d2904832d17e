import { setTimeout as delay } from 'node:timers/promises'
import {
  ModelError,
  noUsage,
  addUsage,
  type ModelInfo,
  type ModelTurn,
  type ModelTurnRequest,
  type Usage,
} from '../../models/contract.ts'
import type { Models } from '../../models/models.ts'
import { decideRetry, isPassing } from '../../models/retry.ts'
import { traceChat } from '../../telemetry/gen-ai.ts'
import type { StepFiles } from '../port.ts'

/**
 * One turn of a model, retried while that may help. If the provider is unavailable, or still fails
 * after a few tries, the fallbacks are called in order. If none is available, the run is held,
 * which uses up neither tries nor run time.
 */
export interface TurnRequest extends Omit<ModelTurnRequest, 'tuned'> {
  model: string
  fallbacks: string[]
  /** Those of the models that are fine-tunes of the account. */
  tunedModels: ModelInfo[]
  /** The run's files, converted to what each model accepts; left out if there are none. */
  files?: StepFiles
  /** Earlier failed calls of this step. */
  tries: number
}

/** `usage` covers all calls made here, including failed ones. */
export type TurnOutcome = { usage: Usage } & (
  | { kind: 'answered'; turn: ModelTurn; model: string; durationMs: number }
  | { kind: 'failed'; message: string }
  | Postponed
  | { kind: 'aborted'; tries: number }
)

export interface Postponed {
  kind: 'postponed'
  tries: number
  delaySeconds: number
  held?: Hold
  /** Why the last call failed, if it will be tried again. */
  message?: string
  /** The provider is available again, and the call waits for its turn. */
  isBack?: boolean
}

/** Why a run is held, and how much run time went into calls without an answer. */
export interface Hold {
  reason: 'provider_unavailable' | 'no_worker' | 'budget' | 'caller_tool'
  message: string
  lostMs: number
  /** The run is woken when a model call of its account ends. */
  waitsForCalls?: true
}

/** For a longer wait the run gives its slot back. */
const maxWaitInSlotMs = 5_000
const maxTriesBeforeFallback = 3
/** When the first model is called again, if no fallback answered. */
const fallbackFailedSeconds = 10

export async function takeTurn(models: Models, request: TurnRequest): Promise<TurnOutcome> {
  const { model, fallbacks, tunedModels, tries, onText, ...turnRequest } = request
  const beganAt = performance.now()
  let usage = noUsage
  let hold: Postponed | undefined
  let message: string | undefined
  let triesOfFirst = tries
  const candidates = [model, ...fallbacks]
  for (const [place, candidate] of candidates.entries()) {
    const tuned = tunedModels.find(({ id }) => id === candidate)
    const outcome = await tryModel(models, {
      ...turnRequest,
      ...(tuned && { tuned }),
      // Only the first model is streamed: a fallback's answer would not continue its text.
      ...(place === 0 && onText && { onText }),
      model: candidate,
      tries: place === 0 ? tries : 0,
      isLast: place === candidates.length - 1,
    })
    usage = addUsage(usage, outcome.usage)
    if (outcome.kind === 'answered' || outcome.kind === 'aborted') return { ...outcome, usage }
    if (outcome.kind === 'postponed') {
      if (place === 0) triesOfFirst = outcome.tries
      if (hold === undefined || outcome.delaySeconds < hold.delaySeconds) hold = outcome
    } else {
      // A fallback's error does not fail a run whose own model may come back.
      message ??= outcome.message
      if (place === 0 && outcome.kind === 'failed') break
    }
  }
  if (hold === undefined) return { kind: 'failed', message: message ?? '', usage }
  const held = hold.held && { ...hold.held, lostMs: Math.round(performance.now() - beganAt) }
  return { ...hold, tries: triesOfFirst, ...(held && { held }), usage }
}

type Tried = TurnOutcome | { kind: 'unavailable'; message: string; usage: Usage }
type OneModel = ModelTurnRequest &
  Pick<TurnRequest, 'model' | 'tries' | 'files'> & { isLast: boolean }

async function tryModel(models: Models, request: OneModel): Promise<Tried> {
  const { model, tries: before, isLast, files, ...turnRequest } = request
  const { signal } = request
  let tries = before
  let usage = noUsage
  for (;;) {
    try {
      const info = request.tuned ?? models.find(model)
      using attached = await files?.attach(info, request.messages)
      const beganAt = performance.now()
      // A failed stream is retried without streaming.
      const { onText, ...whole } = {
        ...turnRequest,
        ...(attached && { messages: attached.messages }),
        hasFallback: !isLast,
      }
      const isFirst = tries === before && onText !== undefined
      const asked = isFirst ? { ...whole, onText } : whole
      const named = { model, provider: info?.provider }
      const turn = await traceChat(named, asked, () => models.runTurn(model, asked))
      const durationMs = Math.round(performance.now() - beganAt)
      return { kind: 'answered', turn, model, durationMs, usage: addUsage(usage, turn) }
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      usage = addUsage(usage, error.usage)
      // A shortage in this process does not count as run time, even if the timeout was reached
      // meanwhile.
      if (signal.aborted && error.kind !== 'shortage') return { kind: 'aborted', tries, usage }
      const { message, retryAfterMs = 0 } = error
      if (error.kind === 'held' || error.kind === 'shortage') {
        // Waiting for a turn behind other calls, which is too short to be worth a write.
        if (isLast && error.kind === 'held' && retryAfterMs <= maxShortWaitMs) {
          if (await waits(retryAfterMs, signal)) continue
          return { kind: 'aborted', tries, usage }
        }
        const reason = error.kind === 'held' ? 'provider_unavailable' : 'no_worker'
        const held = { reason, message, lostMs: 0 } as const
        const delaySeconds = retryAfterMs / 1_000
        return { kind: 'postponed', tries, delaySeconds, held, isBack: error.isBack, usage }
      }
      tries++
      const decision = decideRetry(error, tries)
      const after = tries > 1 ? ` (after ${tries} tries)` : ''
      if (decision.kind === 'fail') {
        const kind = isPassing(error) ? 'unavailable' : 'failed'
        return { kind, message: message + after, usage }
      }
      const isLong = decision.delayMs > maxWaitInSlotMs
      const goesToFallback = !isLast && (isLong || tries >= maxTriesBeforeFallback)
      if (isLong || goesToFallback) {
        const delaySeconds = goesToFallback ? fallbackFailedSeconds : decision.delayMs / 1_000
        const counted = `${message} (try ${tries} of ${decision.maxTries})`
        return { kind: 'postponed', tries, delaySeconds, message: counted, usage }
      }
      if (!(await waits(decision.delayMs, signal))) return { kind: 'aborted', tries, usage }
    }
  }
}

const maxShortWaitMs = 250

/** False if the signal aborts. */
async function waits(ms: number, signal: AbortSignal): Promise<boolean> {
  await delay(ms, undefined, { signal }).catch(() => {})
  return !signal.aborted
}
