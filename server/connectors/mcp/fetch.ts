import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { defineTask, type Caller } from '../../sandbox/sandbox.ts'
import { version } from '../../version.ts'
import { Exchange } from './exchange.ts'
import { type ReadMessage, readMessage } from './message.ts'
import type { McpServer, McpServices } from './session.ts'

const maxAnswerBytes = 4 * 1024 * 1024
/** How often one call's response is resumed after its stream ended early. */
const maxResumes = 50
const noticeTimeoutMs = 5_000

/** Longest time for a stream of a server's own messages. */
const ownStreamMs = 15 * 60_000

/**
 * `fetch` for the client of one session, over the guarded transport, bounded in bytes and time.
 * `ended` aborts when the session is closed.
 */
export function createMcpFetch(
  { outbound, sandbox, limits }: McpServices,
  server: McpServer,
  ended: AbortSignal,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  let hasOwnStream = false
  const caller = { accountId: server.accountId ?? '', sandbox }

  const open = (url: string | URL, init: RequestInit, signal: AbortSignal, timeoutMs: number) =>
    outbound.stream(url, {
      method: init.method === 'POST' ? 'POST' : 'GET',
      headers: {
        'user-agent': `muster/${version}`,
        ...Object.fromEntries(new Headers(init.headers)),
        ...headersFor(server, Exchange.current()?.bearer ?? server.bearer),
      },
      ...(typeof init.body === 'string' && { body: init.body }),
      signal: init.signal == null ? signal : AbortSignal.any([signal, init.signal]),
      timeoutMs,
      maxResponseBytes: maxAnswerBytes,
      accountId: server.accountId,
      allowHttp: true,
    })

  /** Sends notices, and refusals of the server's requests, whatever happens to the call. */
  async function sendNotice(url: string | URL, init: RequestInit): Promise<Response> {
    const answer = await open(url, init, new AbortController().signal, noticeTimeoutMs)
    await answer.body.return()
    return new Response(null, { status: answer.status >= 400 ? answer.status : 202 })
  }

  /**
   * Opens the stream of the server's own messages, for one reason: the client library refuses the
   * server's requests on it at once, so that the server does not wait for an answer in the middle
   * of a call.
   */
  async function openOwnStream(url: string | URL, init: RequestInit): Promise<Response> {
    const { origin } = new URL(url)
    const slot = hasOwnStream ? undefined : limits.mcpStreams.tryTake(origin)
    if (slot === undefined) return new Response(null, { status: 405 })
    hasOwnStream = true
    const exchange = new Exchange({ signal: ended, timeoutMs: ownStreamMs })
    const close = (): void => slot[Symbol.dispose]()
    try {
      const { status, headers, body } = await open(url, init, ended, ownStreamMs)
      if (status === 200 && /event-stream/i.test(toText(headers['content-type']) ?? '')) {
        const read = closing(events(body, exchange, undefined, caller), close)
        return new Response(ReadableStream.from(read), {
          headers: { 'content-type': 'text/event-stream' },
        })
      }
      await body.return()
    } catch {
      // Servers without such a stream work too.
    }
    close()
    return new Response(null, { status: 405 })
  }

  async function send(url: string | URL, init: RequestInit): Promise<Response> {
    const exchange = Exchange.current()
    const request =
      init.method === 'POST' ? (JSON.parse(init.body as string) as Request) : undefined
    const id = request?.method === undefined ? undefined : request.id
    if (exchange === undefined || (request !== undefined && id === undefined)) {
      return request === undefined ? new Response(null, { status: 405 }) : sendNotice(url, init)
    }
    if (request === undefined) {
      const lastEventId = new Headers(init.headers).get('last-event-id')
      if (lastEventId === null) return openOwnStream(url, init)
      if (lastEventId !== exchange.lastEventId) return new Response(null, { status: 405 })
      exchange.resumes++
    }
    const answer = await open(url, init, exchange.signal, exchange.timeoutMs).catch(
      (error: unknown) => {
        if (request === undefined && mayResume(exchange, error)) throw error
        exchange.fail(error)
        throw error
      },
    )
    const { status } = answer
    const headers = new Headers()
    // The only headers that the client reads; without a location it follows no redirect.
    for (const name of ['content-type', 'mcp-session-id']) {
      const value = answer.headers[name]
      if (typeof value === 'string') headers.set(name, value)
    }
    exchange.challenge = toText(answer.headers['www-authenticate'])
    if (request === undefined && (status < 200 || status >= 300)) {
      if (!mayResume(exchange)) exchange.fail(withoutResult())
      await answer.body.return()
      return new Response(null, { status: status < 400 ? 502 : status })
    }
    if (status === 204 || status === 205 || status === 304) {
      await answer.body.return()
      exchange.fail(withoutResult())
      return new Response(null, { status })
    }
    const type = headers.get('content-type') ?? ''
    return new Response(ReadableStream.from(bodyOf(answer.body, exchange, id, caller)), {
      status,
      headers,
    })

    function bodyOf(...args: Parameters<typeof events>): AsyncGenerator<Buffer, void> {
      if (status >= 300) return args[0]
      if (/event-stream/i.test(type)) return events(...args)
      return /json/i.test(type) ? json(...args) : args[0]
    }
  }
  return (url, init = {}) => send(url, init)
}

/** The headers that an admin stored, and the login. */
export function headersFor(
  { headers }: McpServer,
  bearer: string | undefined,
): Record<string, string> {
  return bearer === undefined ? headers : { ...headers, authorization: `Bearer ${bearer}` }
}

interface Request {
  id?: unknown
  method?: string
}

const withoutResult = () => new OutboundError('closed', 'the answer ended without a result')

function toText(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header
}

/** Whether the client library may resume a response after the last event. */
function mayResume(exchange: Exchange, error?: unknown): boolean {
  if (exchange.lastEventId === undefined || exchange.resumes >= maxResumes) return false
  if (exchange.signal.aborted) return false
  return error === undefined || !(error instanceof OutboundError) || resumable.has(error.kind)
}
type Reader = Omit<Caller, 'action'>

const resumable = new Set<OutboundError['kind']>(['closed', 'connect', 'protocol'])

/** Normalizes a message for the client, and records what it says about its exchange. */
async function read(text: string, exchange: Exchange, caller: Reader): Promise<ReadMessage> {
  const message = await readApart(caller, text, exchange.signal)
  for (const id of message.answers ?? []) exchange.answered.add(id)
  exchange.tools.push(...message.tools)
  if (message.isProgress) exchange.progressed()
  return message
}

async function* json(
  body: AsyncGenerator<Buffer, void>,
  exchange: Exchange,
  id: unknown,
  caller: Reader,
): AsyncGenerator<Buffer, void> {
  const parts: Buffer[] = []
  try {
    for await (const part of body) parts.push(part)
    const whole = Buffer.concat(parts).toString()
    const { text, answers } = await read(withRequestId(whole, id), exchange, caller)
    // A response to another request than the current one, for which the client would wait forever.
    if (answers?.includes(id) === false) exchange.fail(withoutResult())
    yield Buffer.from(text)
  } catch (error) {
    exchange.fail(error)
    throw error
  }
}

/**
 * Some servers answer a request that they do not understand with an error whose id is null, as JSON-RPC has it for
 * requests that cannot be read.
 */
function withRequestId(text: string, id: unknown): string {
  if (id === undefined || text.length > maxErrorLength || !/"id"\s*:\s*null/.test(text)) return text
  try {
    const message = JSON.parse(text) as { id?: unknown; error?: unknown }
    return message.id === null && message.error !== undefined
      ? JSON.stringify({ ...message, id })
      : text
  } catch {
    return text
  }
}
const maxErrorLength = 100_000

async function* events(
  body: AsyncGenerator<Buffer, void>,
  exchange: Exchange,
  id: unknown,
  caller: Reader,
): AsyncGenerator<Buffer, void> {
  const came: (EventSourceMessage | number)[] = []
  const parser = createParser({
    onEvent: (event) => came.push(event),
    onRetry: (ms) => came.push(ms),
  })
  const decoder = new TextDecoder()
  let hasAnswer = false
  try {
    for await (const part of body) {
      parser.feed(decoder.decode(part, { stream: true }))
      for (const event of came.splice(0)) {
        if (typeof event === 'number') {
          yield Buffer.from(`retry: ${Math.min(event, maxRetryMs)}\n\n`)
          continue
        }
        if (event.id !== undefined && event.id !== '') exchange.lastEventId = event.id
        const { text, answers = [] } = await read(event.data, exchange, caller)
        hasAnswer ||= answers.length > 0
        const lines = [
          event.id !== undefined && `id: ${event.id}`,
          event.event !== undefined && `event: ${event.event}`,
          `data: ${text.replaceAll('\n', '\ndata: ')}`,
        ]
        yield Buffer.from(`${lines.filter((line) => line !== false).join('\n')}\n\n`)
      }
    }
  } catch (error) {
    if (!hasAnswer && !mayResume(exchange, error)) exchange.fail(error)
    throw error
  }
  const isDone = id === undefined ? hasAnswer : exchange.answered.has(id)
  if (!isDone && !mayResume(exchange)) exchange.fail(withoutResult())
}

async function* closing<T>(
  body: AsyncGenerator<T, void>,
  close: () => void,
): AsyncGenerator<T, void> {
  try {
    yield* body
  } finally {
    close()
  }
}

const maxRetryMs = 30_000

/**
 * A message of this size is read in about 2 ms. Larger ones are read in a thread, so that other
 * requests do not wait.
 */
const maxHereCharacters = 128 * 1024
const readInThread = defineTask<typeof readMessage>({
  line: 'quick',
  from: import.meta.url,
  file: './message',
  name: 'readMessage',
  maxMs: 10_000,
  maxMb: 128,
})

/** `readMessage`, in a thread where the message is large. Rejects with an `OutboundError`. */
export async function readApart(
  caller: Reader,
  text: string,
  signal: AbortSignal,
): Promise<ReadMessage> {
  if (text.length <= maxHereCharacters) return readMessage(text)
  try {
    return await readInThread({ ...caller, action: 'read the answer', signal }, text)
  } catch (error) {
    if (signal.aborted) throw new OutboundError('aborted', 'the call has ended', error)
    const why = error instanceof Error ? error.message : 'unknown reason'
    throw new OutboundError('protocol', `its answer cannot be read: ${why}`, error)
  }
}
