import type { Outbound } from '../outbound/outbound.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import type { McpServer } from './mcp.ts'

/** `fetch` for the MCP client, made of the guarded transport and bounded in bytes and time. */
export interface McpFetch {
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** Rejects with the first failure of the transport. */
  failed: Promise<never>
  failure(): OutboundError | undefined
  /** To be told of each message that came, so that an answer without one is noticed. */
  onMessage(message: object): void
  endSession(sessionId: string, protocolVersion: string | undefined): void
}

// From the end of an answer until what it holds was surely handed on.
const settleMs = 100
const maxAnswerBytes = 4 * 1024 * 1024

export function createMcpFetch(
  outbound: Outbound,
  server: McpServer,
  signal: AbortSignal,
  timeoutMs: number,
): McpFetch {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => undefined)
  let failure: OutboundError | undefined
  const answered = new Set<unknown>()
  const fail = (error: unknown): never => {
    if (error instanceof OutboundError && error.kind !== 'aborted') {
      failure ??= error
      reject(error)
    }
    throw error
  }

  async function send(url: string | URL, init: RequestInit): Promise<Response> {
    // The stream of a server's own messages is not wanted; a server may refuse it just so.
    if (init.method !== 'POST') return new Response(null, { status: 405 })
    const answer = await outbound
      .stream(url, {
        method: 'POST',
        headers: { ...Object.fromEntries(new Headers(init.headers)), ...server.headers },
        body: init.body as string,
        signal: init.signal == null ? signal : AbortSignal.any([signal, init.signal]),
        timeoutMs,
        maxResponseBytes: maxAnswerBytes,
        accountId: server.accountId,
        allowHttp: true,
      })
      .catch(fail)
    const headers = new Headers()
    // All that the client reads; without a location it follows no redirect.
    for (const name of ['content-type', 'mcp-session-id']) {
      const value = answer.headers[name]
      if (typeof value === 'string') headers.set(name, value)
    }
    const request = JSON.parse(init.body as string) as { id?: unknown }
    const onEnd = (): void => {
      if (request.id === undefined || answer.status >= 300) return
      setTimeout(() => {
        if (answered.has(request.id)) return
        failure ??= new OutboundError('closed', 'the answer ended without a result')
        reject(failure)
      }, settleMs).unref()
    }
    const isEmpty = [204, 205, 304].includes(answer.status)
    const body = ReadableStream.from(watched(answer.body, onEnd, fail))
    if (isEmpty) await body.cancel()
    return new Response(isEmpty ? null : body, { status: answer.status, headers })
  }

  return {
    fetch: (url, init = {}) => send(url, init),
    failed,
    failure: () => failure,
    onMessage: (message) => {
      if ('id' in message && !('method' in message)) answered.add(message.id)
    },
    endSession: (sessionId, protocolVersion) => {
      const version =
        protocolVersion === undefined ? {} : { 'mcp-protocol-version': protocolVersion }
      outbound
        .request(server.url, {
          method: 'DELETE',
          headers: { 'mcp-session-id': sessionId, ...version, ...server.headers },
          timeoutMs: 5000,
          maxResponseBytes: 1024,
          allowHttp: true,
        })
        .catch(() => undefined)
    },
  }
}

async function* watched(
  body: AsyncGenerator<Buffer, void>,
  onEnd: () => void,
  fail: (error: unknown) => never,
): AsyncGenerator<Buffer, void> {
  try {
    yield* body
  } catch (error) {
    fail(error)
  }
  onEnd()
}
