import type { ModelError, ModelErrorKind } from './contract.ts'

export type RetryDecision = { kind: 'retry'; delayMs: number } | { kind: 'fail' }

const baseDelayMs = 500
const maxDelayMs = 60_000

const maxTries: Record<ModelErrorKind, number> = {
  rate_limited: 10,
  // An outage holds the run instead; this is a model that fails while others of its provider answer.
  unavailable: 10,
  timeout: 6,
  bad_answer: 3,
  rejected: 1,
  not_available: 1,
  aborted: 1,
  held: 1,
  shortage: 1,
}

/** Whether another try may help; what was refused is refused, and no fallback is asked in its place. */
export function isPassing({ kind }: ModelError): boolean {
  return maxTries[kind] > 1
}

/**
 * What follows a failed call. `triesSoFar` counts the calls made, the failed one included. Waits
 * double from 500 ms to 60 s and are drawn at random below that (full jitter), behind what `Retry-After`
 * asks for, so that waiting runs do not all return at once.
 */
export function decideRetry(
  error: ModelError,
  triesSoFar: number,
  random: () => number = Math.random,
): RetryDecision {
  const askedMs = error.retryAfterMs ?? 0
  if (triesSoFar >= maxTries[error.kind]) return { kind: 'fail' }
  const ceilingMs = Math.min(maxDelayMs, baseDelayMs * 2 ** (Math.max(1, triesSoFar) - 1))
  return { kind: 'retry', delayMs: askedMs + Math.round(random() * ceilingMs) }
}
