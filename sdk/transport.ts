import { connectionError, MusterError, timeoutError, toMusterError } from './errors.ts'
import { Page } from './page.ts'
import { delay, within } from './time.ts'

/**
 * One HTTP call: address, key, retries, timeout. A call is retried where that is safe: reads, and
 * POSTs because they have an `Idempotency-Key`. Uses only web standards, so it works in Node, other
 * runtimes and browsers.
 */
export interface MusterOptions {
  /** An API key, `mst_…`; pages of the service itself can use its session cookie instead. */
  apiKey?: string
  /** Address of the service, with `http://` or `https://`; `http://127.0.0.1:3000` by default. */
  baseUrl?: string
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch
  /** Maximum retries of a failed call; 3 by default. */
  maxRetries?: number
  /** Timeout of a call, including its retries; 60,000 by default. */
  timeoutMs?: number
}

/** The last argument of every method, besides the query parameters of its operation. */
export interface RequestOptions {
  /** Aborts the call. */
  signal?: AbortSignal | undefined
  /** Timeout of the call, including its retries. */
  timeoutMs?: number
  /** Maximum retries of the call. */
  maxRetries?: number
  /** For POST; random by default. Requests with the same key and body are executed once. */
  idempotencyKey?: string
  /**
   * For a change of a resource with versions: the expected live version; any other is rejected with
   * 412.
   */
  ifMatch?: string | number
  headers?: Record<string, string>
}

export const callOptions = [
  'signal',
  'timeoutMs',
  'maxRetries',
  'idempotencyKey',
  'ifMatch',
  'headers',
] as const satisfies (keyof RequestOptions)[]

/** The query parameters among the options of a call. */
export function queryOf(options: RequestOptions): NonNullable<ApiRequest['query']> {
  const names: readonly string[] = callOptions
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)))
}

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Record<string, string | string[] | number | boolean | undefined>
  /** A form or a `Blob` is sent unchanged, anything else as JSON. */
  body?: unknown
  /** A POST without an `Idempotency-Key`, whose caller decides whether to repeat it. */
  isPlain?: true
}

const defaultBaseUrl = 'http://127.0.0.1:3000'
const defaultTimeoutMs = 60_000
const defaultMaxRetries = 3
const firstPauseMs = 250
const longestPauseMs = 8_000

export class Transport {
  readonly baseUrl: string
  readonly maxRetries: number
  readonly #apiKey: string | undefined
  readonly #fetch: typeof fetch
  readonly #timeoutMs: number

  constructor(options: MusterOptions) {
    this.baseUrl = checkedBaseUrl(options.baseUrl ?? defaultBaseUrl)
    this.maxRetries = options.maxRetries ?? defaultMaxRetries
    this.#apiKey = options.apiKey
    this.#fetch = options.fetch ?? ((...args) => globalThis.fetch(...args))
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs
  }

  /** The `data` of the response. */
  async data<T>(request: ApiRequest, options: RequestOptions = {}): Promise<T> {
    return this.send(request, options, async (response) => (await readData(response)) as T)
  }

  /** A list, which can load its next page. */
  async page<T>(request: ApiRequest, options: RequestOptions = {}): Promise<Page<T>> {
    return this.send(request, options, async (response) => {
      const data = await readData(response)
      if (!Array.isArray(data)) throw malformed(response)
      const items = data as T[]
      const after = cursorOfNext(response.headers.get('link'))
      if (after === undefined) return new Page(items)
      return new Page(items, this.#fetchAfter<T>(request, options, after))
    })
  }

  /**
   * Fetches the page after a cursor. A page may be kept for long: it keeps neither the signal of its
   * call, which may lead to all that its owner holds, nor the response.
   */
  #fetchAfter<T>(
    request: ApiRequest,
    { signal, ...options }: RequestOptions,
    after: string,
  ): (signal?: AbortSignal) => Promise<Page<T>> {
    const before = signal && new WeakRef(signal)
    const next = { ...request, query: { ...request.query, after } }
    return (own) => this.page<T>(next, { ...options, signal: own ?? before?.deref() })
  }

  /** Sends a request until `read` has accepted a response; the timeout includes reading it. */
  async send<T>(
    request: ApiRequest,
    options: RequestOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const idempotencyKey =
      request.method === 'POST' && request.isPlain !== true
        ? (options.idempotencyKey ?? randomUuid())
        : undefined
    const maxRetries = request.isPlain === true ? 0 : (options.maxRetries ?? this.maxRetries)
    // A long poll may take its whole time.
    const waitMs = Number(request.query?.['wait'] ?? 0) * 1000
    const untilItIsDone = async (signal: AbortSignal, leftMs: () => number) => {
      for (let retries = 0; ; retries++) {
        const tried = await this.#tryOnce(request, options, idempotencyKey, signal, read)
        if ('value' in tried) return tried.value
        const { failure } = tried
        const pauseMs = pauseBefore(retries, failure)
        const isLast = retries >= maxRetries || pauseMs >= leftMs()
        if (isLast || !isRepeatable(request.method, failure)) throw failure
        await delay(pauseMs, signal)
      }
    }
    return within(
      (options.timeoutMs ?? this.#timeoutMs) + waitMs,
      options.signal,
      untilItIsDone,
      (cause) => timeoutError(`Cannot ${request.method} ${request.path}: no answer in time`, cause),
    )
  }

  async #tryOnce<T>(
    request: ApiRequest,
    options: RequestOptions,
    idempotencyKey: string | undefined,
    signal: AbortSignal,
    read: (response: Response) => Promise<T>,
  ): Promise<{ value: T } | { failure: MusterError }> {
    const { method } = request
    const encoded = encode(request.body)
    try {
      const headers = new Headers({
        accept: 'application/json',
        ...(this.#apiKey === undefined ? {} : { authorization: `Bearer ${this.#apiKey}` }),
        ...(encoded.type === undefined ? {} : { 'content-type': encoded.type }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(options.ifMatch === undefined ? {} : { 'if-match': String(options.ifMatch) }),
      })
      // Names are case-insensitive; two spellings of a name would be joined.
      for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
      const response = await this.#fetch(this.#url(request), {
        method,
        signal,
        // A redirect target would get the body and, on the same host, the key.
        redirect: 'manual',
        headers,
        ...(encoded.body === undefined ? {} : { body: encoded.body }),
      })
      if (isRedirect(response)) return { failure: redirected(this.baseUrl, response) }
      if (!response.ok) return { failure: await toMusterError(response) }
      return { value: await read(response) }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof MusterError) return { failure: error }
      const message = `Cannot reach ${this.baseUrl}: ${reasonOf(error)}${hintFor(this.baseUrl)}`
      return { failure: connectionError('unreachable', message, error) }
    }
  }

  #url({ path, query }: ApiRequest): string {
    const url = new URL(this.baseUrl + path)
    for (const [name, value] of Object.entries(query ?? {})) {
      for (const one of [value].flat()) {
        if (one !== undefined) url.searchParams.append(name, String(one))
      }
    }
    return url.href
  }
}

/** Found when it is given: `localhost:3000` is a valid URL, of the scheme `localhost:`. */
function checkedBaseUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '')
  throw new TypeError(
    `Cannot use baseUrl ${JSON.stringify(text)}: expected an address with http:// or https://, such as ${defaultBaseUrl}`,
  )
}

/** Browsers do not say that a service does not allow the origin of the page. */
function hintFor(baseUrl: string): string {
  const { location } = globalThis as { location?: { origin?: string } }
  const origin = location?.origin
  if (origin === undefined || origin === new URL(baseUrl).origin) return ''
  return `. If it runs, it does not allow pages of ${origin}: its operator has to list this origin in MUSTER_CORS_ORIGINS`
}

/** The body with its type; `fetch` itself sets the type of a form, with its boundary. */
function encode(body: unknown): { type?: string; body?: FormData | Blob | string } {
  if (body === undefined) return {}
  if (body instanceof FormData) return { body }
  if (body instanceof Blob) return { type: body.type, body }
  return { type: 'application/json', body: JSON.stringify(body) }
}

async function readData(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    const body = JSON.parse(text) as { data?: unknown }
    if (body.data === undefined) throw new SyntaxError('There is no data')
    return body.data
  } catch (error) {
    throw malformed(response, error)
  }
}

/**
 * Only the cursor is used, because the address may be a proxy's, and the key must not be sent
 * elsewhere.
 */
export function cursorOfNext(link: string | null): string | undefined {
  const target = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '')?.[1]
  if (target === undefined) return undefined
  return new URL(target, defaultBaseUrl).searchParams.get('after') ?? undefined
}

/** Browsers hide the status of a redirect. */
function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400)
}

function redirected(baseUrl: string, { status, headers }: Response): MusterError {
  const target = headers.get('location')
  const where = target === null ? '' : ` to ${target.slice(0, 200)}`
  return new MusterError(
    `Cannot reach ${baseUrl}: it redirects${where}, and redirects are not followed; set baseUrl to the address of the service`,
    { status, type: 'unexpected_answer', code: 'redirected' },
  )
}

function isRepeatable(method: ApiRequest['method'], { status, code }: MusterError): boolean {
  if (code === 'redirected') return false
  // Rejected before anything was done.
  if (status === 429) return true
  if (method !== 'GET' && method !== 'POST') return false
  return [0, 502, 503, 504].includes(status) || code === 'idempotency_in_progress'
}

function pauseBefore(retries: number, { retryAfterSeconds }: MusterError): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** retries)
  return pauseMs * (0.75 + Math.random() / 2)
}

/** `fetch` hides the reason in causes, and in lists of them if a name has several addresses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  if (!(first instanceof Error)) return error.message
  const code = 'code' in first ? String(first.code) : ''
  const words = wordsOf(code)
  return words === undefined ? first.message || first.name : `${words} (${code})`
}

const untrusted =
  'its certificate is not from an authority that this machine trusts; NODE_EXTRA_CA_CERTS can name a file with the certificate of yours'
const tlsReasons: Record<string, string> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  EPROTO: 'TLS could not be agreed on; if it speaks plain HTTP, use http://',
}

/** OpenSSL's own text names its functions and source files. */
function wordsOf(code: string): string | undefined {
  if (code.startsWith('ERR_SSL_')) return tlsReasons['EPROTO']
  if (code.startsWith('HPE_')) return 'it does not speak HTTP; if it speaks TLS, use https://'
  return tlsReasons[code]
}

function malformed(response: Response, cause?: unknown): MusterError {
  return new MusterError(`The answer of ${response.status} is not Muster's JSON`, {
    status: response.status,
    type: 'unexpected_answer',
    code: 'malformed_answer',
    requestId: response.headers.get('x-request-id') ?? undefined,
    cause,
  })
}

/** Browsers lack `crypto.randomUUID` on plain HTTP. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
