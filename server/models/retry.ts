import type { ModelError, ModelErrorKind } from './contract.ts'

export type RetryDecision = { kind: 'retry'; delayMs: number; maxTries: number } | { kind: 'fail' }

const baseDelayMs = 500
const maxDelayMs = 60_000

const maxTries: Record<ModelErrorKind, number> = {
  rate_limited: 10,
  // For a model that fails while others of its provider answer; an outage holds the run instead.
  unavailable: 10,
  timeout: 6,
  bad_answer: 3,
  rejected: 1,
  not_available: 1,
  aborted: 1,
  held: 1,
  shortage: 1,
}

/** Whether another try may help. A refusal is final, and no fallback is asked either. */
export function isPassing({ kind }: ModelError): boolean {
  return maxTries[kind] > 1
}

/**
 * Decides what follows a failed call. `triesSoFar` includes the failed one. The wait is drawn at random below a ceiling
 * that doubles from 500 ms to 60 s (full jitter), so that waiting runs do not all return at once. `Retry-After` is
 * added to it.
 */
export function decideRetry(
  error: ModelError,
  triesSoFar: number,
  random: () => number = Math.random,
): RetryDecision {
  const askedMs = error.retryAfterMs ?? 0
  const most = maxTries[error.kind]
  if (triesSoFar >= most) return { kind: 'fail' }
  const ceilingMs = Math.min(maxDelayMs, baseDelayMs * 2 ** (Math.max(1, triesSoFar) - 1))
  return { kind: 'retry', delayMs: askedMs + Math.round(random() * ceilingMs), maxTries: most }
}
