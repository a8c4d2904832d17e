import type { RunTexts } from '../../engine/reads/runs.ts'
import type { PendingRequest } from '../../engine/run/pending.ts'
import { createHmac, randomBytes } from 'node:crypto'
import type { SealedPlace } from '../../secret-box.ts'
import { wholeEnd } from '../../safe-text.ts'

/**
 * A delivery, pure: its bytes, their signature, and what follows an attempt. Sending and storing
 * are in `definition.ts` and `delivery-store.ts`.
 */

/**
 * The body: `{type, timestamp, data}`, the same bytes at every attempt. `data` is the run as it was when
 * the event happened, without steps, plus `sequence`.
 */
export interface BodyParts {
  type: string
  at: Date
  snapshot: Record<string, unknown>
  /** Null for a test event. */
  run: RunTexts | null
}

const maxBytes = 64 * 1024

export function makeBody({ type, at, snapshot, run: texts }: BodyParts): string {
  // A requested call is not a whole run, and its arguments are bounded.
  const run = type === 'tool.requested' ? null : texts
  const ended = type === 'run.completed' ? run : null
  const shown = run && {
    input: run.input,
    data: run.data,
    output: ended?.output ?? null,
    output_json: ended?.output_json ?? null,
  }
  const data = { ...snapshot, ...shown }
  const body = (fields: Record<string, unknown>) =>
    JSON.stringify({ type, timestamp: at.toISOString(), data: fields })
  const whole = body(data)
  if (run === null || Buffer.byteLength(whole) <= maxBytes) return whole

  // The other fields are bounded; the two texts share the remaining room. Objects cannot be cut.
  const output = ended?.output ?? ''
  const pending = withShortCalls(snapshot['pending'] as PendingRequest | null | undefined)
  const without = { ...data, ...(pending && { pending }), data: null, output_json: null }
  const left =
    maxBytes - Buffer.byteLength(body({ ...without, input: '', output: '', truncated: true }))
  const input = cut(run.input, Math.max(left / 2, left - jsonBytes(output)))
  return body({
    ...without,
    input,
    output: ended === null ? null : cut(output, left - jsonBytes(input)),
    truncated: true,
  })
}

const maxCallsBytes = 12 * 1024
const maxPromptLength = 200

/** The waiting calls that fit beside the first, in order, without their arguments. */
function withShortCalls<T extends Pick<PendingRequest, 'calls'>>(
  pending: T | null | undefined,
): T | null | undefined {
  if (pending?.calls === undefined) return pending
  const calls = pending.calls.map(({ id, kind, call_id, tool, prompt }) => ({
    id,
    kind,
    call_id,
    ...(tool !== undefined && { tool }),
    prompt: prompt.slice(0, wholeEnd(prompt, Math.min(prompt.length, maxPromptLength))),
  }))
  while (Buffer.byteLength(JSON.stringify(calls)) > maxCallsBytes) calls.pop()
  return { ...pending, calls }
}

/** The longest prefix of a text within a limit of bytes as JSON, cut at a character boundary. */
function cut(text: string, bytes: number): string {
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (jsonBytes(text.slice(0, middle)) <= bytes) low = middle
    else high = middle - 1
  }
  return text.slice(0, wholeEnd(text, low))
}

/** Bytes of a text in JSON, without its quotes. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}

/** Binds an encrypted signing secret to its account and endpoint. */
export function webhookPlace(accountId: string, endpointId: string): SealedPlace {
  return ['webhook', accountId, endpointId]
}

/** Standard Webhooks: what receivers verify, over the exact bytes. */
export function makeSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The three headers; with two secrets both sign, so that a receiver can switch. */
export function signHeaders(
  message: { id: string; timestampSeconds: number; body: string },
  secrets: string[],
): Record<string, string> {
  const { id, timestampSeconds, body } = message
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets
      .map((secret) => `v1,${sign(`${id}.${timestampSeconds}.${body}`, secret)}`)
      .join(' '),
  }
}

function sign(text: string, secret: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return createHmac('sha256', key).update(text).digest('base64')
}

/** An endpoint is disabled after this many failed events in a row. */
export const maxConsecutiveFailures = 10

export interface AttemptResult {
  /** HTTP status; 0 if there was no response. */
  status: number
  /** The delay that the receiver asked for. */
  retryAfterSeconds: number | undefined
}

export type NextState =
  | { kind: 'succeeded' }
  /** The last attempt failed; `isFailedEvent` says whether it counts against the endpoint. */
  | { kind: 'failed'; isFailedEvent: boolean }
  | { kind: 'pending'; delaySeconds: number }

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/**
 * What follows an attempt. A delivery has as many scheduled attempts as the schedule has steps,
 * each with its delay in seconds. A manual attempt is outside the schedule: it uses no step and
 * does not count as a failed event. `scheduledBefore` counts the earlier scheduled attempts.
 */
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

/** Seconds of a `Retry-After` header, which has seconds or a date. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - nowMs) / 1000)
}
