import { STATUS_CODES } from 'node:http'
import {
  APICallError,
  InvalidArgumentError,
  InvalidPromptError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { storable, wholeEnd } from '../safe-text.ts'
import { ModelError, noUsage, type ModelErrorKind, type Usage } from './contract.ts'
import { dialects } from './providers/built-ins.ts'
import { findRequestId } from './request-id.ts'
import { TransportError } from './transport.ts'

/** The model and provider that failed, for the message; `secrets` never appear in it. */
export interface TurnSubject {
  modelId: string
  providerLabel: string
  secrets: readonly string[]
}

/** Turns anything that a call threw into the one error type that the executor knows. */
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
  const unreadable = (headers?: Record<string, string>) =>
    turnError('bad_answer', `the answer cannot be read (${messageOf(error)})`, {
      ...maybeBilled(subject),
      requestId: findRequestId(headers),
    })
  if (APICallError.isInstance(error)) {
    const { statusCode: status, responseBody, responseHeaders: headers = {} } = error
    if (status === undefined) return turnError('unavailable', error.message, subject)
    const body: unknown = responseBody
    // The SDK makes up a status for failures inside an answer of 200, which it has parsed, and for empty answers.
    const isMadeUp = typeof body === 'object' || status < 300
    if (!isMadeUp) return providerError(body, subject, { status, headers, said: error.message })
    if (isErrorBody(body)) return providerError(body, subject, { headers })
    return status < 300
      ? unreadable(headers)
      : turnError('bad_answer', error.message, maybeBilled(subject))
  }
  // What the SDK refuses to send fails the same way every time.
  if (refusedBySdk.some((kind) => kind.isInstance(error))) {
    return turnError('rejected', `the request cannot be sent (${messageOf(error)})`, subject)
  }
  // An error event within a stream.
  if (TypeValidationError.isInstance(error) && isErrorBody(error.value)) {
    return providerError(error.value, subject)
  }
  if (!(error instanceof Error)) return providerError({ error }, subject, { said: wordsIn(error) })
  return unreadable()
}

/** A failure that the provider, or a gateway before it, explains in its answer. */
export function providerError(
  body: unknown,
  subject: TurnSubject,
  {
    status: given,
    headers = {},
    said = '',
  }: { status?: number; headers?: Record<string, string | undefined>; said?: string } = {},
): ModelError {
  const { words, codes, status: inBody, retryAfterMs: inDetails } = readErrorBody(body)
  const status = given ?? inBody
  const askedMs = retryAfterMs(headers) ?? boundedAskedMs(inDetails)
  // Gateways keep the message and drop the code. With a delay, the same message is about a limit per minute.
  const isUsedUp = askedMs === undefined && matchesWords('usedUp', words ?? said)
  const isTooLarge = status === 429 && matchesWords('tooLarge', words ?? said)
  const kind = isUsedUp || isTooLarge ? 'rejected' : kindOf(given, inBody, codes, askedMs)
  // The SDK's message is the documented error, or the status text where it found none.
  const isNamed = said.trim() !== '' && said !== STATUS_CODES[status ?? 0]
  const reason = (isNamed ? said : words) ?? STATUS_CODES[status ?? 0] ?? 'no reason given'
  // A call that failed behind a gateway, or broke off, may have been billed.
  const isBilled = given === undefined ? kind !== 'rejected' : billedStatuses.includes(given)
  return turnError(kind, `status ${given ?? inBody ?? 200}, ${reason}`, {
    ...(isBilled ? maybeBilled(subject) : subject),
    retryAfterMs: askedMs,
    status: given,
    requestId: findRequestId(headers),
  })
}

/** Statuses of calls that may have reached the model; an overloaded server (503, 529) did not accept the call. */
const billedStatuses = [408, 500, 502, 504]

function wordsIn(error: unknown): string {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? error.message : error
  return typeof message === 'string' ? message : ''
}

/** The provider got the request and may bill it, but its token counts never arrived. */
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
  const { requestId } = details
  const trace = requestId === undefined ? '' : ` (request id ${requestId})`
  // The cause is left out on purpose: it carries the whole request, prompt included.
  return new ModelError(kind, `Cannot run ${modelId} at ${providerLabel}: ${reason}${trace}`, {
    ...details,
    reason,
  })
}

const errorWords = dialects.flatMap(({ errors = {} }) => errors)
const codeMeanings = new Map(errorWords.flatMap(({ codes = {} }) => Object.entries(codes)))

function matchesWords(kind: 'usedUp' | 'tooLarge', message: string): boolean {
  return errorWords.some((words) => words[kind]?.test(message) === true)
}

/** Statuses that refuse the request itself; a code in their body never makes an outage of them. */
const definiteStatuses = [400, 401, 403, 404, 413, 422]

/**
 * `given` is the HTTP status of a failure, `inBody` a status in the body of an answer of 200. Codes refine a 429, a 5xx
 * and an error inside a 200; a definite status needs none.
 */
function kindOf(
  given: number | undefined,
  inBody: number | undefined,
  codes: string[],
  askedMs: number | undefined,
): ModelErrorKind {
  const meanings = codes.map((code) => codeMeanings.get(code))
  if (meanings.includes('used_up')) return 'rejected'
  // A server that asks to come back later has set a limit, whatever its status.
  if (definiteStatuses.includes(given ?? 0)) return askedMs ? 'rate_limited' : 'rejected'
  const status = given ?? inBody
  if (status === 408) return 'timeout'
  if (status === 409 || (status ?? 0) >= 500) return 'unavailable'
  if (status === 429 || meanings.includes('rate_limited')) return 'rate_limited'
  if (meanings.includes('unavailable')) return 'unavailable'
  return status === undefined && !meanings.includes('rejected') ? 'bad_answer' : 'rejected'
}

/** Longest wait that is honored: the provider may be back sooner, and a run has limits of its own. */
const mostAskedMs = 600_000

/** `Retry-After` in seconds or as a date, or OpenAI's finer `retry-after-ms`; 10 minutes at most. */
export function retryAfterMs(
  headers: Record<string, string | undefined>,
  nowMs: number = Date.now(),
): number | undefined {
  return boundedAskedMs(readAskedMs(headers, nowMs))
}

function boundedAskedMs(askedMs: number | undefined): number | undefined {
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
  // Bounded: a chain of causes may be circular.
  let current = error
  for (let depth = 0; depth < 10 && current !== undefined; depth += 1) {
    if (matches(current)) return current
    current = current instanceof Error ? current.cause : undefined
  }
  return undefined
}

// The error's name only: parser messages quote the text that they could not read.
function messageOf(error: unknown): string {
  const root = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return root instanceof Error ? root.name.replace(/^AI_/, '') : 'unknown'
}

const maxReasonCharacters = 500

function clean(text: string, secrets: readonly string[]): string {
  let result = storable(text).replace(/\s+/g, ' ').trim()
  // Callers add their own full stop.
  result = result.replace(/(?<!\.)\.{1,2}$/, '')
  for (const secret of secrets) {
    if (secret.length >= 4) result = result.replaceAll(secret, '***')
  }
  // Providers quote keys back, partly masked.
  result = result
    .replace(/\b(?:sk|pk|rk|key)-[\w*.-]{6,}/gi, '***')
    .replace(/\bAIza[\w-]{10,}/g, '***')
  return result.length > maxReasonCharacters
    ? `${result.slice(0, wholeEnd(result, maxReasonCharacters - 1))}…`
    : result
}

/**
 * The body of a failure, read: the provider's documented error, an error of a gateway before it, a framework's list of
 * problems, or plain text.
 */
interface ErrorBody {
  /** The message as it was written; undefined where there is none. */
  words: string | undefined
  /** Codes and types, in lower case. */
  codes: string[]
  /** A status number in the body: gateways put errors inside an answer of 200. */
  status: number | undefined
  retryAfterMs: number | undefined
}

/** `body`: text, or what the SDK has parsed already. */
function readErrorBody(body: unknown): ErrorBody {
  const value = typeof body === 'string' ? parse(body) : body
  const [whole] = Array.isArray(value) ? (value as unknown[]) : [value]
  const inner = field(whole, 'error')
  const levels = [inner, whole].filter((level) => typeof level === 'object' && level !== null)
  const said = levels.flatMap((level) =>
    ['code', 'type', 'status'].map((name) => field(level, name)),
  )
  const numbers = said.map(Number).filter((code) => code >= 400 && code < 600)
  return {
    words: wordsOf(inner) ?? wordsOf(whole) ?? plainText(body, value),
    codes: said.flatMap((code) => (typeof code === 'string' ? code.toLowerCase() : [])),
    status: numbers[0],
    retryAfterMs: retryDelayOf(inner) ?? retryDelayOf(whole),
  }
}

/** Whether the body of an answer with a success status is an error after all. */
export function isErrorBody(body: unknown): boolean {
  const value = typeof body === 'string' ? parse(body) : body
  const [whole] = Array.isArray(value) ? (value as unknown[]) : [value]
  const isNamed = [field(whole, 'object'), field(whole, 'type')].includes('error')
  return isNamed || ['error', 'errors', 'detail'].some((name) => field(whole, name) !== undefined)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const maxProblems = 3

function wordsOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (Array.isArray(value)) {
    const words = (value as unknown[]).slice(0, maxProblems).flatMap((item) => wordsOf(item) ?? [])
    return words.length === 0 ? undefined : words.join('; ')
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const name of [
    'message',
    'msg',
    'detail',
    'errors',
    'error',
    'error_description',
    'title',
  ]) {
    const words = wordsOf(field(value, name))
    if (words !== undefined) return words
  }
  return undefined
}

/** Skips HTML: a proxy's error page says less than its status. */
function plainText(body: unknown, value: unknown): string | undefined {
  if (typeof body !== 'string' || value !== undefined) return undefined
  const text = body.trim()
  return text === '' || text.startsWith('<') ? undefined : text
}

function retryDelayOf(error: unknown): number | undefined {
  for (const { errors } of dialects) {
    const delayMs = errors?.retryDelayMs?.(error)
    if (delayMs !== undefined) return delayMs
  }
  return undefined
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Record<string, unknown>)[name] ?? undefined
}
