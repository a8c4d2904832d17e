import { Agent, errors, type buildConnector, type Dispatcher } from 'undici'
import { connectForOperator, type EgressProxy } from '../outbound/egress-proxy.ts'
import { OutboundError } from '../outbound/outbound-error.ts'

/**
 * HTTP for model calls: one keep-alive agent for each provider, with as many connections as the provider takes calls at
 * once; further calls wait in line. Bodies are read whole, but for event streams. `dispatch` and not undici's own
 * `fetch`, which costs three times the CPU: 0.21 ms a model call against 0.07 (November 2026), a third of a run's.
 */
export interface Transport extends AsyncDisposable {
  fetch: typeof globalThis.fetch
}

export interface TransportOptions {
  maxConcurrency: number
  /** Longest silence of the provider, before and between the parts of its answer. */
  timeoutMs?: number
  proxy?: EgressProxy | undefined
  /** Guarded connections to an address that an account gave; else those of the operator. */
  connect?: buildConnector.connector | undefined
  /** Repairs the body of an answer of 200 for the SDK. */
  mend?: (bytes: Buffer) => Buffer
}

/** A call that got no complete answer. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly kind: 'timeout' | 'unavailable' | 'bad_answer' | 'shortage'
  /** Whether the provider may have received the request. */
  readonly wasSent: boolean
  /** No connection could be made, so any call to this address would have failed. */
  readonly isUnreachable: boolean

  constructor(kind: TransportError['kind'], message: string, cause: unknown, wasSent: boolean) {
    super(message, { cause })
    this.kind = kind
    this.wasSent = wasSent
    const code = codeOf(cause)
    const isRefused = cause instanceof OutboundError && refusedKinds.includes(cause.kind)
    this.isUnreachable = isRefused || (code !== undefined && unreachable.includes(code))
  }
}

/** Adds the provider's usual path to a base URL without one: official clients disagree on whether `/v1` is part of it. */
export function withDefaultPath(baseUrl: string | undefined, defaultUrl: string): string {
  if (baseUrl === undefined) return defaultUrl
  const url = new URL(baseUrl)
  if (url.pathname === '/') url.pathname = new URL(defaultUrl).pathname
  return url.href.replace(/\/+$/, '')
}

const defaultTimeoutMs = 120_000
const maxConnectMs = 10_000
const maxResponseBytes = 4 * 1024 * 1024

export function createTransport(options: TransportOptions): Transport {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs
  const agent = new Agent({
    connections: options.maxConcurrency,
    pipelining: 1,
    // HTTP/2 would put many calls on one connection, and the cap would no longer hold.
    allowH2: false,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect:
      options.connect ?? connectForOperator(options.proxy, Math.min(timeoutMs, maxConnectMs)),
    maxResponseSize: maxResponseBytes,
  })
  return {
    fetch: async (input, init = {}) => {
      init.signal?.throwIfAborted()
      const url = input instanceof Request ? input.url : input.toString()
      return send(agent, url, init, options.mend, timeoutMs)
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  }
}

function send(
  agent: Agent,
  url: string,
  init: RequestInit,
  mend: TransportOptions['mend'],
  timeoutMs: number,
): Promise<Response> {
  const { origin, pathname, search } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const signal = init.signal ?? undefined
  let call: Dispatcher.DispatchController | undefined
  let head: { status: number; headers: Record<string, string> } = { status: 0, headers: {} }
  const parts: Buffer[] = []
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined
  const fail = (error: unknown): void => {
    reject(error)
    const open = stream
    stream = undefined
    open?.error(error)
  }

  // Settles at once: undici aborts a call that waits in line only when its turn comes.
  const abort = (): void => {
    fail(signal?.reason)
    call?.abort(signal?.reason)
  }
  signal?.addEventListener('abort', abort, { once: true })
  const end = (): void => signal?.removeEventListener('abort', abort)

  const request = {
    origin,
    path: pathname + search,
    method: init.method ?? 'GET',
    headers: requestHeaders(init.headers),
    body: (init.body ?? null) as string | null,
  }
  agent.dispatch(request, {
    onRequestStart(controller) {
      call = controller
      if (signal?.aborted === true) controller.abort(signal.reason)
    },
    onResponseStart(_, status, headers) {
      head = { status, headers: responseHeaders(headers) }
      if (status !== 200 || !isEventStream(head.headers['content-type'])) return
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => void (stream = controller),
        cancel: (reason: unknown) => {
          stream = undefined
          call?.abort(reason instanceof Error ? reason : new Error('the answer is no longer read'))
        },
      })
      resolve(new Response(body, head))
    },
    onResponseData(_, part) {
      if (stream === undefined) parts.push(part)
      else stream.enqueue(part)
    },
    onResponseEnd() {
      end()
      stream?.close()
      stream = undefined
      const [first = Buffer.alloc(0)] = parts
      const bytes = parts.length > 1 ? Buffer.concat(parts) : first
      const mended = mend !== undefined && head.status === 200 ? mend(bytes) : bytes
      // Of text, a `Response` is cheaper than of bytes.
      resolve(new Response(bodiless.includes(head.status) ? null : mended.toString(), head))
    },
    onResponseError(_, error) {
      end()
      fail(toTransportError(error, timeoutMs, call !== undefined))
    },
  })
  return promise
}

/** Statuses with which a `Response` takes no body. */
const bodiless = [204, 205, 304]

function isEventStream(type: string | undefined): boolean {
  return type?.startsWith('text/event-stream') === true
}

function requestHeaders(init: RequestInit['headers']): Record<string, string> {
  const isPlain = init !== undefined && !(init instanceof Headers) && !Array.isArray(init)
  const headers = isPlain ? (init as Record<string, string>) : Object.fromEntries(new Headers(init))
  // Bodies are not decompressed.
  return { ...headers, 'accept-encoding': 'identity' }
}

/** Without headers whose characters a `Response` refuses. */
function responseHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  const entries = Object.entries(headers).map(
    ([name, value = '']) => [name, String(value)] as const,
  )
  return Object.fromEntries(entries.filter(([, value]) => /^[\x20-\xff\t]*$/.test(value)))
}

function toTransportError(error: unknown, timeoutMs: number, wasSent: boolean): TransportError {
  if (error instanceof errors.ConnectTimeoutError) {
    const waitedMs = Math.min(timeoutMs, maxConnectMs)
    return new TransportError('timeout', `no connection within ${waitedMs / 1000} s`, error, false)
  }
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    return new TransportError('timeout', `no answer within ${timeoutMs / 1000} s`, error, wasSent)
  }
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    return new TransportError('bad_answer', 'the answer is larger than 4 MB', error, true)
  }
  if (shortages.includes(codeOf(error) ?? '')) {
    const why = `this process has no files, sockets or memory left (${reason(error)})`
    return new TransportError('shortage', why, error, false)
  }
  return new TransportError(
    'unavailable',
    `the connection failed (${reason(error)})`,
    error,
    wasSent,
  )
}

/** Error codes of this machine's own limits, which are no fault of the provider. */
const shortages = ['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EADDRNOTAVAIL', 'EAGAIN']

/** Error codes of an address that refuses connections, cannot be reached or whose name is not found. */
const unreachable = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_NONAME',
  'UND_ERR_CONNECT_TIMEOUT',
]

/** The same for an address that an account gave: no rule allows it, or its name is not found. */
const refusedKinds = ['refused_address', 'dns']

function codeOf(error: unknown): string | undefined {
  // Several addresses of one host that all fail come as one error.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === undefined && error instanceof OutboundError) return codeOf(error.cause)
  return typeof code === 'string' ? code : undefined
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0])
  return error.message || error.name
}
