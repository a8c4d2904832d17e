/**
 * What follows an attempt to deliver, pure. A delivery has as many attempts as the schedule has
 * steps, each step being the seconds to wait before it. An attempt by hand is outside of the
 * schedule: it takes no step and does not count as a failed event.
 */

/** An endpoint is disabled after this many failed events in a row. */
export const maxConsecutiveFailures = 10

export interface AttemptResult {
  /** HTTP status; 0 when no answer came. */
  status: number
  /** What the receiver asked to wait. */
  retryAfterSeconds: number | undefined
}

export type NextState =
  | { kind: 'succeeded' }
  /** The last attempt failed; `isFailedEvent` says whether the endpoint's failures grow. */
  | { kind: 'failed'; isFailedEvent: boolean }
  | { kind: 'pending'; delaySeconds: number }

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** `scheduledBefore` counts the attempts of the schedule before this one. */
export function decideNext(
  attempt: { result: AttemptResult; isManual: boolean; scheduledBefore: number },
  schedule: readonly number[],
  random: () => number = Math.random,
): NextState {
  const { result, isManual, scheduledBefore } = attempt
  if (isSuccess(result.status)) return { kind: 'succeeded' }
  const step = schedule[isManual ? scheduledBefore : scheduledBefore + 1]
  if (step === undefined) return { kind: 'failed', isFailedEvent: !isManual }
  const jittered = step * (0.8 + 0.4 * random())
  const asked = Math.min(result.retryAfterSeconds ?? 0, 2 * step)
  return { kind: 'pending', delaySeconds: Math.round(Math.max(jittered, asked) * 1000) / 1000 }
}

/** Seconds in a `Retry-After` header, which holds seconds or a date. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - nowMs) / 1000)
}
