import type { ModelError, ModelErrorKind } from './contract.ts'

/** `why` says more than the error does. */
export type RetryDecision = { kind: 'retry'; delayMs: number } | { kind: 'fail'; why?: string }

const baseDelayMs = 500
const maxDelayMs = 60_000
/** A provider that asks for a longer pause is treated as failed. */
const maxRetryAfterMs = 600_000

const maxTries: Record<ModelErrorKind, number> = {
  rate_limited: 6,
  unavailable: 6,
  timeout: 6,
  bad_answer: 3,
  rejected: 1,
  not_available: 1,
  aborted: 1,
}

/**
 * What follows a failed call. `triesSoFar` counts the calls made, the failed one included. Waits
 * double from 500 ms to 60 s and are drawn at random below that (full jitter); a `Retry-After` comes
 * on top of which the jitter is added, so that waiting runs do not all return at once.
 */
export function decideRetry(
  error: ModelError,
  triesSoFar: number,
  random: () => number = Math.random,
): RetryDecision {
  const askedMs = error.retryAfterMs ?? 0
  if (askedMs > maxRetryAfterMs) {
    const [asked, most] = [askedMs, maxRetryAfterMs].map((ms) => Math.ceil(ms / 1000))
    return {
      kind: 'fail',
      why: `the provider asks to wait for ${asked} s, at most ${most} s is waited`,
    }
  }
  if (triesSoFar >= maxTries[error.kind]) return { kind: 'fail' }
  const ceilingMs = Math.min(maxDelayMs, baseDelayMs * 2 ** (Math.max(1, triesSoFar) - 1))
  return { kind: 'retry', delayMs: askedMs + Math.round(random() * ceilingMs) }
}
