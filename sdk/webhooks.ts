import type { Batch, Budget, Run, Thread, ThreadMessage } from './generated.ts'

/**
 * Verifies requests of Muster to webhook endpoints, by the rules of Standard Webhooks. Uses only
 * web standards, so it works in Node, other runtimes and edge workers.
 */
export type WebhookEvent =
  | RunWebhookEvent
  | ToolWebhookEvent
  | BatchWebhookEvent
  | ThreadWebhookEvent
  | BudgetWebhookEvent
  | ScheduleWebhookEvent
  | TestWebhookEvent

/** An alternative for each type, so that each narrows. */
type EventOf<Type extends string, Data> = Type extends string
  ? {
      /**
       * Event id, as in the header `webhook-id`. An event may arrive twice: ignore ids that you have
       * processed.
       */
      id: string
      type: Type
      /** When the event happened. */
      timestamp: string
      data: Data
    }
  : never

/** A run changed its status; `data` is the run at that time. */
export type RunWebhookEvent = EventOf<
  'run.started' | 'run.completed' | 'run.failed' | 'run.waiting_input' | 'run.cancelled',
  WebhookRun
>

/** A run, without its steps. */
export interface WebhookRun extends Run {
  /** Number of the event within the run, from 1: orders events. */
  sequence: number
  workflow: { id: string; name: string }
  /** Ids of the run's input files, and of files that its agents had written by then. */
  files: { inputs: string[]; outputs: string[] }
  /** Names of these files, by id. */
  file_names: Record<string, string>
  /**
   * `input` and `output` were cut and the objects left out, because the body would have exceeded 64
   * KB.
   */
  truncated?: true
}

/** A call of a tool that your own process executes; the receiver may report its result. */
export type ToolWebhookEvent = EventOf<
  'tool.requested',
  {
    call_id: string
    run_id: string
    /** Name of the tool, without `app.`. */
    name: string
    input: Record<string, unknown>
    /** When the time for a result is over. */
    expires_at: string
  }
>

/** The last item of a batch ended. */
export type BatchWebhookEvent = EventOf<
  'batch.completed',
  Batch & {
    workflow: { id: string; name: string | null }
    /** Names of its first 100 files, by id. */
    file_names: Record<string, string>
  }
>

/** A message of a thread has ended; `answer` is null unless it was answered. */
export type ThreadWebhookEvent = EventOf<
  'thread.message',
  {
    thread: Thread
    message: ThreadMessage & Cut
    answer: (ThreadMessage & Cut) | null
  }
>

/** Whether the text has only its first 16,000 characters. */
interface Cut {
  truncated?: true
}

/** A budget passed one of its thresholds, or its cap. */
export type BudgetWebhookEvent = EventOf<
  'budget.threshold' | 'budget.reached',
  {
    /** Share of the cap, such as 0.8. */
    share: number
    budget: Budget
  }
>

/** A schedule missed firings, because no worker ran. */
export type ScheduleWebhookEvent = EventOf<
  'schedule.missed',
  {
    schedule: { id: string; name: string }
    workflow_id: string
    /** Number of missed firings. */
    missed: number
    /** The times of up to 100 of them. */
    due_at: string[]
    why: string | null
  }
>

/** A test event that was requested by a person. */
export type TestWebhookEvent = EventOf<'webhook.test', { webhook_id: string; message: string }>

export type WebhookVerificationCode =
  /** `webhook-id`, `webhook-timestamp` or `webhook-signature` is missing. */
  | 'missing_header'
  /** The timestamp is invalid, or too far from the current time. */
  | 'bad_timestamp'
  /** Signed with another secret, or changed. */
  | 'no_match'
  /** The secret is not a `whsec_…` of Muster. */
  | 'invalid_secret'
  /** The body is not the raw body, or not an event. */
  | 'invalid_payload'

/** A request that must not be trusted; answer with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly code: WebhookVerificationCode

  constructor(code: WebhookVerificationCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** `Headers` of `fetch`, or `request.headers` of Node. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyWebhookOptions {
  /** Maximum difference between the timestamp and the current time; 300 by default. */
  toleranceSeconds?: number
  /** Replaces the clock. */
  now?: Date
}

type Bytes = Uint8Array<ArrayBuffer>

const secretPrefix = 'whsec_'
/** The minimum of Standard Webhooks. */
const minSecretBytes = 24

/**
 * Verifies the signature over the exact bytes of the body, made with one of the secrets, and
 * returns the event. Rejects with a `WebhookVerificationError`. Later versions add event types:
 * ignore those that you do not know.
 */
export async function verifyWebhook(
  payload: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const keys = toKeys(secret)
  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  const signatures = readSignatures(header(headers, 'webhook-signature'))
  checkTimestamp(timestamp, now, toleranceSeconds)
  const body = toBytes(payload)
  const signed = await new Blob([`${id}.${timestamp}.`, body]).arrayBuffer()
  let isGenuine = false
  for (const key of keys) {
    for (const signature of signatures) if (await holds(signature, key, signed)) isGenuine = true
  }
  if (isGenuine) return { ...parseEvent(body), id }
  const hint = 'give the raw body, not one that was parsed and written again'
  throw refused('no_match', `no signature was made with this secret over this body; ${hint}`)
}

function refused(
  code: WebhookVerificationCode,
  why: string,
  cause?: unknown,
): WebhookVerificationError {
  return new WebhookVerificationError(code, `Cannot verify webhook: ${why}`, cause)
}

function toKeys(secret: string | readonly string[]): Bytes[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  if (secrets.length === 0) throw refused('invalid_secret', 'there is no secret')
  return secrets.map((one) => {
    const key = typeof one === 'string' ? readKey(one.trim()) : undefined
    if (key !== undefined) return key
    // The message does not contain the secret.
    const why = `a secret is not ${secretPrefix} and base64, as Muster shows it`
    throw refused('invalid_secret', why)
  })
}

function readKey(secret: string): Bytes | undefined {
  if (!secret.startsWith(secretPrefix)) return undefined
  const key = fromBase64(secret.slice(secretPrefix.length))
  return key !== undefined && key.length >= minSecretBytes ? key : undefined
}

function header(headers: WebhookHeaders, name: string): string {
  const found = isGetter(headers)
    ? headers.get(name)
    : (headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1])
  const value = [found ?? ''].flat().join(' ')
  if (value === '') throw refused('missing_header', `there is no header ${name}`)
  return value
}

function isGetter(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}

function checkTimestamp(text: string, now: Date, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(text)) {
    throw refused('bad_timestamp', 'webhook-timestamp is not a number of seconds')
  }
  const age = Math.floor(now.getTime() / 1000) - Number(text)
  // Written so that an invalid tolerance accepts nothing.
  if (Math.abs(age) <= toleranceSeconds) return
  const where = age > 0 ? `${age} seconds old` : `${-age} seconds in the future`
  throw refused('bad_timestamp', `it is ${where}, expected up to ${toleranceSeconds}`)
}

/** `v1,base64 v1,base64`; other versions are ignored. */
function readSignatures(text: string): Bytes[] {
  return text.split(' ').flatMap((part) => {
    const [version, signature = ''] = part.split(',')
    const bytes = version === 'v1' ? fromBase64(signature) : undefined
    return bytes === undefined ? [] : [bytes]
  })
}

/** Constant time, wherever the first difference is. */
async function holds(signature: Bytes, key: Bytes, signed: ArrayBuffer): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify'])
  return crypto.subtle.verify('HMAC', imported, signature, signed)
}

function toBytes(payload: unknown): Bytes {
  if (typeof payload === 'string') return new TextEncoder().encode(payload)
  // Not by `instanceof`: in test runners, bytes may come from another realm.
  if (ArrayBuffer.isView(payload))
    return new Uint8Array(payload.buffer as ArrayBuffer, payload.byteOffset, payload.byteLength)
  if (Object.prototype.toString.call(payload) === '[object ArrayBuffer]')
    return new Uint8Array(payload as ArrayBuffer)
  const hint = 'a string or bytes, not what was parsed of it'
  throw refused('invalid_payload', `give the raw body, ${hint}`)
}

function parseEvent(body: Bytes): WebhookEvent {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (isEvent(event)) return event
  } catch (cause) {
    throw refused('invalid_payload', 'the body is not JSON', cause)
  }
  throw refused('invalid_payload', 'the body is no event with type, timestamp and data')
}

/**
 * A valid signature proves that the service wrote the body; this detects other services' events.
 */
function isEvent(value: unknown): value is WebhookEvent {
  const { type, timestamp, data } = Object(value) as Record<string, unknown>
  const hasTexts = typeof type === 'string' && typeof timestamp === 'string'
  return hasTexts && typeof data === 'object' && data !== null
}

function fromBase64(text: string): Bytes | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
