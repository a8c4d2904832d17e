import { STATUS_CODES } from 'node:http'
import {
  APICallError,
  InvalidArgumentError,
  InvalidPromptError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { storable, wholeEnd } from '../storable.ts'
import { ModelError, noUsage, type ModelErrorKind, type Usage } from './contract.ts'
import { TransportError } from './transport.ts'

/** Who failed, for the message; `secrets` never appear in it. */
export interface TurnSubject {
  modelId: string
  providerLabel: string
  secrets: readonly string[]
}

/** Turns whatever a call threw into the one error that the executor knows. */
export function toModelError(
  error: unknown,
  subject: TurnSubject,
  signal: AbortSignal,
): ModelError {
  if (error instanceof ModelError) return error
  if (signal.aborted) return turnError('aborted', 'the call was aborted', maybeBilled(subject))
  const transport = findCause(error, (cause) => cause instanceof TransportError)
  if (transport !== undefined) {
    const { kind, message, wasSent, isUnreachable } = transport
    const waits = kind === 'shortage' ? { retryAfterMs: 1_000 + Math.random() * 2_000 } : {}
    const details = { ...(wasSent ? maybeBilled(subject) : subject), ...waits, isUnreachable }
    return turnError(kind, message, details)
  }
  const unreadable = () =>
    turnError('bad_answer', `the answer cannot be read (${messageOf(error)})`, maybeBilled(subject))
  if (!APICallError.isInstance(error)) {
    // What the SDK refuses to send fails the same way every time.
    return refusedBySdk.some((kind) => kind.isInstance(error))
      ? turnError('rejected', `the request cannot be sent (${messageOf(error)})`, subject)
      : unreadable()
  }
  const status = error.statusCode
  if (status === undefined) return turnError('unavailable', error.message, subject)
  if (status < 300) return unreadable()
  const body = parsedBody(error)
  const inner = field(body, 'error') ?? undefined
  // A status that the SDK made up for an answer of 200 without content.
  if (typeof (error.responseBody as unknown) === 'object' && inner === undefined) {
    return turnError('bad_answer', error.message, maybeBilled(subject))
  }
  const code = field(inner, 'code')
  return turnError(kindOf(status, code), `status ${status}, ${reasonOf(error, status, body)}`, {
    ...subject,
    retryAfterMs: retryAfterMs(error.responseHeaders ?? {}),
  })
}

/** The provider had the request and may have answered it; what it counted did not arrive. */
function maybeBilled(subject: TurnSubject): TurnSubject & { usage: Usage } {
  return { ...subject, usage: { ...noUsage, callsWithoutUsage: 1 } }
}

const refusedBySdk = [InvalidArgumentError, InvalidPromptError, UnsupportedFunctionalityError]

/** "Cannot run <model> at <provider>: <why>", bounded and without secrets. */
export function turnError(
  kind: ModelErrorKind,
  why: string,
  subject: TurnSubject & ConstructorParameters<typeof ModelError>[2],
): ModelError {
  const { modelId, providerLabel, secrets, ...details } = subject
  const reason = clean(why, secrets)
  // The cause is left out on purpose: it carries the whole request, prompt included.
  return new ModelError(kind, `Cannot run ${modelId} at ${providerLabel}: ${reason}`, {
    ...details,
    reason,
  })
}

function kindOf(status: number, code: unknown): ModelErrorKind {
  // OpenAI answers 429 to an account without credit, and 400 to its own failures inside an answer.
  if (code === 'insufficient_quota') return 'rejected'
  if (status === 429 || code === 'rate_limit_exceeded') return 'rate_limited'
  if (status === 408) return 'timeout'
  if (status === 409 || status >= 500 || code === 'server_error') return 'unavailable'
  return 'rejected'
}

function parsedBody(error: APICallError): unknown {
  // The SDK's type says text, but failures inside a 200 answer bring the parsed body.
  const body: unknown = error.responseBody
  if (typeof body !== 'string') return body
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

// The SDK reads each provider's documented error; gateways before it answer in other shapes.
function reasonOf(error: APICallError, status: number, body: unknown): string {
  const inner = field(body, 'error')
  const reasons = [error.message, field(inner, 'message'), inner, field(body, 'message')]
  const found = [...reasons, field(body, 'detail')].find(
    (reason) => typeof reason === 'string' && reason.trim() !== '',
  )
  return typeof found === 'string' ? found : (STATUS_CODES[status] ?? 'no reason given')
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined
}

/** A provider that asks for longer is asked again then: it may be back before, and a run has limits of its own. */
const mostAskedMs = 600_000

/** `Retry-After` in seconds or as a date, or OpenAI's finer `retry-after-ms`; 10 minutes at most. */
export function retryAfterMs(
  headers: Record<string, string | undefined>,
  nowMs: number = Date.now(),
): number | undefined {
  const askedMs = readAskedMs(headers, nowMs)
  return askedMs && Math.min(askedMs, mostAskedMs)
}

function readAskedMs(
  headers: Record<string, string | undefined>,
  nowMs: number,
): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (exact >= 0) return exact
  const value = headers['retry-after']?.trim()
  if (value === undefined || value === '') return undefined
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1_000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}

function findCause<T>(error: unknown, matches: (cause: unknown) => cause is T): T | undefined {
  // Bounded: a chain of causes may be a ring.
  let current = error
  for (let depth = 0; depth < 10 && current !== undefined; depth += 1) {
    if (matches(current)) return current
    current = current instanceof Error ? current.cause : undefined
  }
  return undefined
}

// The reason only: parser messages go on with the text that they could not read.
function messageOf(error: unknown): string {
  const root = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return root instanceof Error ? root.name.replace(/^AI_/, '') : 'unknown'
}

const maxReasonCharacters = 500

function clean(text: string, secrets: readonly string[]): string {
  let result = storable(text).replace(/\s+/g, ' ').trim()
  for (const secret of secrets) {
    if (secret.length >= 4) result = result.replaceAll(secret, '***')
  }
  // Keys that providers quote back half hidden.
  result = result
    .replace(/\b(?:sk|pk|rk|key)-[\w*.-]{6,}/gi, '***')
    .replace(/\bAIza[\w-]{10,}/g, '***')
  return result.length > maxReasonCharacters
    ? `${result.slice(0, wholeEnd(result, maxReasonCharacters - 1))}…`
    : result
}
