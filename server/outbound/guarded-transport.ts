import { Agent, Pool, request, type Dispatcher } from 'undici'
import { ByteBudget, type OverBudget } from '../byte-budget.ts'
import {
  createGuardedConnect,
  type ConnectOptions,
  createLookup,
  type Lookup,
  type LookupRules,
} from './guarded-connect.ts'
import type { EgressProxy } from './egress-proxy.ts'
import { OutboundError, toOutboundError } from './outbound-error.ts'
import { toTarget, checkKnownUrl, isInsideOnly, type AllowHttp } from './destination.ts'

/**
 * Calls to guarded addresses. Redirects are not followed, nothing is decompressed, the body is read
 * up to a limit, and one timeout covers lookup, connection, queueing, headers and body. Connections
 * are kept alive, and their number is limited, by origin.
 */
export interface GuardedTransport extends AsyncDisposable {
  /** Resolves with any status; rejects only with an `OutboundError`. */
  request(url: string | URL, options: OutboundRequest): Promise<OutboundResponse>
  /**
   * Resolves when the headers arrive, for responses that are read as they arrive. The body fails
   * with an `OutboundError` if it is too large or late; a body that is not read within a second is
   * abandoned.
   */
  stream(url: string | URL, options: OutboundRequest): Promise<OutboundStream>
}

export interface OutboundRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Record<string, string> | undefined
  body?: string | Uint8Array | undefined
  signal?: AbortSignal | undefined
  /** Timeout from the call to the last byte. */
  timeoutMs: number
  /** The body is cut at this limit and its connection closed. */
  maxResponseBytes: number
  /** The account whose bytes in flight are counted. */
  accountId?: string | undefined
  /** Accept `http://` as well; default false. */
  allowHttp?: AllowHttp | undefined
}

export interface OutboundResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  truncated: boolean
  durationMs: number
}

interface OutboundStream {
  status: number
  headers: OutboundResponse['headers']
  body: AsyncGenerator<Buffer, void>
}

export interface TransportOptions extends Omit<LookupRules, 'lookup'> {
  /** Default: name servers, see `createLookup`. */
  lookup?: Lookup | undefined
  /** Connections per origin, 64 by default; further calls wait. */
  connections?: number | undefined
  connectTimeoutMs?: number | undefined
  inFlight?: ByteBudget | undefined
  proxy?: EgressProxy | undefined
  ca?: string | undefined
}

export function createGuardedTransport(options: TransportOptions): GuardedTransport {
  const connectOptions: ConnectOptions = {
    ...options,
    lookup: options.lookup ?? createLookup(),
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
  }
  const makeAgent = (insideOnly: boolean): Agent =>
    new Agent({
      connections: options.connections ?? 64,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: 16 * 1024,
      // Covered by the call's total timeout.
      headersTimeout: 0,
      bodyTimeout: 0,
      // A server may ask for a shorter time, not for a longer one.
      keepAliveTimeout: 4000,
      keepAliveMaxTimeout: 30_000,
      factory: (origin, poolOptions) =>
        new Pool(origin, {
          ...(poolOptions as Pool.Options),
          connect: createGuardedConnect(toTarget(new URL(origin)), {
            ...connectOptions,
            insideOnly,
          }),
        }),
    })
  const agent = makeAgent(false)
  // Separate connections, because those of the other agent may lead to public hosts.
  const insideAgent = makeAgent(true)
  const inFlight = options.inFlight ?? new ByteBudget({ perAccount: Infinity })
  const sendTo = (url: string | URL, call: OutboundRequest): Send => {
    const target = checkKnownUrl(url, { ...options, allowHttp: Boolean(call.allowHttp) })
    const dispatcher = isInsideOnly(target, call.allowHttp) ? insideAgent : agent
    const { method, body = null } = call
    return async (signal) => {
      const headers = requestHeaders(call.headers)
      return request(target, { dispatcher, method, headers, body, signal })
    }
  }
  return {
    request: async (url, call) => {
      const startedAt = performance.now()
      const answer = await exchange(sendTo(url, call), call)
      return { ...answer, durationMs: Math.round(performance.now() - startedAt) }
    },
    stream: async (url, call) => openStream(sendTo(url, call), call, inFlight),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([agent.destroy(), insideAgent.destroy()])
    },
  }
}

type Send = (signal: AbortSignal) => Promise<Dispatcher.ResponseData>

/** Time from the headers of a streamed response until its body is read. */
const maxUnreadMs = 1_000

type Answer = Omit<OutboundResponse, 'durationMs'>

async function exchange(send: Send, call: OutboundRequest): Promise<Answer> {
  const time = startTime(call)
  let status: number | undefined
  const read = async (): Promise<Answer> => {
    try {
      const { statusCode, headers, body } = await send(time.signal)
      status = statusCode
      return { status, headers, ...(await readUpTo(body, call.maxResponseBytes)) }
    } catch (error) {
      throw Object.assign(time.toFailure(error), { status })
    }
  }
  const answer = read()
  try {
    // undici settles a waiting call only when its turn comes, so the signal is raced as well.
    return await Promise.race([answer, time.ended])
  } finally {
    time.stop()
    answer.catch(() => undefined)
  }
}

/** The timeout continues while the body is read. */
async function openStream(
  send: Send,
  call: OutboundRequest,
  inFlight: ByteBudget,
): Promise<OutboundStream> {
  const time = startTime(call)
  const answer = send(time.signal)
  try {
    const { statusCode: status, headers, body } = await Promise.race([answer, time.ended])
    // A generator that was never started does not notice its cancellation.
    const giveUp = (): void => time.end(new OutboundError('closed', 'nobody read the answer'))
    const unread = setTimeout(giveUp, maxUnreadMs).unref()
    return { status, headers, body: readBounded(body, call, time, inFlight, unread) }
  } catch (error) {
    time.stop()
    answer.then(({ body }) => body.destroy()).catch(() => undefined)
    throw time.toFailure(error)
  }
}

async function* readBounded(
  stream: Dispatcher.ResponseData['body'],
  { maxResponseBytes: maxBytes, accountId = '' }: OutboundRequest,
  time: CallTime,
  inFlight: ByteBudget,
  unread: NodeJS.Timeout,
): AsyncGenerator<Buffer, void> {
  clearTimeout(unread)
  using counted = inFlight.open(accountId)
  let size = 0
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      size += part.length
      if (size > maxBytes) {
        throw new OutboundError('too_large', `the answer has more than ${maxBytes} bytes`)
      }
      const over = counted.add(part.length)
      if (over !== undefined) throw tooMuch(over)
      yield part
    }
  } catch (error) {
    throw time.toFailure(error)
  } finally {
    time.stop()
  }
}

function tooMuch({ whose, limit }: OverBudget): OutboundError {
  const shown = `${limit / 1024 / 1024} MiB`
  const why = `answers that are under way for ${whose} have more than ${shown} together`
  return new OutboundError('too_large', `${why}; try again later`)
}

async function readUpTo(
  stream: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  const parts: Buffer[] = []
  let size = 0
  // Leaving the loop early destroys the stream and its socket.
  for await (const part of stream as AsyncIterable<Buffer>) {
    parts.push(part.subarray(0, maxBytes - size))
    size += part.length
    if (size > maxBytes) break
  }
  return { body: Buffer.concat(parts), truncated: size > maxBytes }
}

interface CallTime {
  /** Aborts at the timeout or when the caller aborts. */
  signal: AbortSignal
  /** Rejects at the same time, a little later. */
  ended: Promise<never>
  /** The error of a call, or why it was ended. */
  toFailure(error: unknown): OutboundError
  /** Ends the call early. */
  end(reason: OutboundError): void
  stop(): void
}

function startTime({ signal, timeoutMs }: OutboundRequest): CallTime {
  const ending = new AbortController()
  const ended = Promise.withResolvers<never>()
  const end = (reason: OutboundError): void => {
    stop()
    // The reader of the body knows the status, so its error should win.
    ending.abort(reason)
    setImmediate(() => ended.reject(reason))
  }
  const aborted = (): OutboundError =>
    new OutboundError('aborted', 'the call was aborted', signal?.reason)
  if (signal?.aborted === true) throw aborted()
  const abort = (): void => end(aborted())
  const timer = setTimeout(
    () => end(new OutboundError('timeout', `no whole answer within ${timeoutMs / 1000} s`)),
    timeoutMs,
  )
  const stop = (): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  signal?.addEventListener('abort', abort, { once: true })
  ended.promise.catch(() => undefined)
  return {
    signal: ending.signal,
    ended: ended.promise,
    toFailure: (error) => toOutboundError(ending.signal.aborted ? ending.signal.reason : error),
    end,
    stop,
  }
}

// Another `host` would also change the name for which the certificate is verified.
const reservedHeaders = ['host', 'content-length', 'transfer-encoding', 'connection', 'upgrade']

function requestHeaders(headers: Record<string, string> = {}): Record<string, string> {
  const result: Record<string, string> = { 'accept-encoding': 'identity' }
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (reservedHeaders.includes(lower)) {
      throw new OutboundError('protocol', `header ${lower} is set by the transport, leave it out`)
    }
    result[lower] = value
  }
  return result
}
