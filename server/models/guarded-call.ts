import type { CallResult } from './breaker.ts'
import { ModelError, type ModelTurn, type ModelTurnRequest } from './contract.ts'
import type { Provider } from './provider.ts'

/**
 * Makes a call unless its model's breaker holds it back, and reports to the breaker how the call ended. The owner of
 * the provider is told whether its key and address work.
 */
export async function callGuarded(
  provider: Provider,
  upstreamId: string,
  modelId: string,
  request: ModelTurnRequest,
  call: () => Promise<ModelTurn>,
): Promise<ModelTurn> {
  try {
    const turn = await callBehindBreaker(provider, upstreamId, modelId, request, call)
    provider.noteUse?.({ ok: true, message: `${modelId} answered a call` })
    return turn
  } catch (error) {
    if (error instanceof ModelError && isFaultOfAccess(error))
      provider.noteUse?.({ ok: false, message: error.reason })
    throw error
  }
}

/** Whether the key, its credit or the address is at fault, so that all models of the provider would fail. */
function isFaultOfAccess({ kind, status = 0, isUnreachable }: ModelError): boolean {
  if (isUnreachable) return true
  return kind === 'rejected' && [401, 402, 403, 429].includes(status)
}

async function callBehindBreaker(
  { breakers, label }: Provider,
  upstreamId: string,
  modelId: string,
  { hasFallback = false }: ModelTurnRequest,
  call: () => Promise<ModelTurn>,
): Promise<ModelTurn> {
  const admission = breakers.admit(upstreamId, hasFallback)
  if (admission.kind === 'wait') {
    const { waitMs, words, isBack } = admission
    const why = isBack ? `it answers again, and this call waits for its turn (${words})` : words
    const message = `Cannot run ${modelId} at ${label}: ${why}`
    throw new ModelError('held', message, { retryAfterMs: waitMs, isBack })
  }
  try {
    const turn = await call()
    admission.done({ result: 'answered' })
    return turn
  } catch (error) {
    const known = error instanceof ModelError ? error : undefined
    const askedMs = known?.retryAfterMs ?? 0
    const wait = admission.done({
      result: resultOf(known),
      words: known?.reason ?? '',
      askedMs: askedMs > maxLimitMs ? askedMs : 0,
    })
    if (known === undefined || wait === undefined) throw error
    const { message, usage } = known
    const { waitMs, isBack } = wait
    const retryAfterMs = Math.max(askedMs, waitMs)
    throw new ModelError('held', message, { usage, isBack, retryAfterMs })
  }
}

/** A provider that asks for a longer wait counts as away. */
const maxLimitMs = 60_000

function resultOf(error: ModelError | undefined): CallResult {
  switch (error?.kind) {
    case 'unavailable':
    case 'timeout':
      return error.isUnreachable ? 'unreachable' : 'failed'
    case 'rate_limited':
      return (error.retryAfterMs ?? 0) > maxLimitMs ? 'failed' : 'answered'
    case 'rejected':
    case 'bad_answer':
      return 'answered'
    default:
      return 'unknown'
  }
}
