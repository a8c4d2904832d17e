import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newId } from '../ids.ts'

/** Responses to requests that reach no route, with the same body and headers as other errors. */

/** For a path that cannot be decoded, or that contains an id that is too long. */
export function answerUnroutable(
  error: { code?: string },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const isTooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH'
  const path = request.url.split('?', 1)[0] as string
  const what = `${request.method} ${path.slice(0, 200)}`
  const text = isTooLong
    ? failure('not_found', 'route_not_found', `Cannot ${what}: no such path`, request.id)
    : failure('invalid_request', 'invalid_request', `Cannot ${what}: not a valid path`, request.id)
  // The reply belongs to no route, so it has neither hooks nor a serializer.
  reply.raw.writeHead(isTooLong ? 404 : 400, headersOf(text, request.id)).end(text)
}

/**
 * For requests that are not HTTP, have too large headers or arrive too slowly. Ends the connection.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, why] = explain(error.code)
  const id = newId('req')
  const text = failure('invalid_request', 'invalid_request', `Cannot answer: ${why}`, id)
  const lines = Object.entries({ ...headersOf(text, id), connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`)
  // A client that does not read the response must not keep the connection open.
  socket.setTimeout(5_000, () => socket.destroy())
}

function explain(code: string | undefined): [status: number, why: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [431, 'the headers are too large']
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, 'the request did not arrive in time']
    default:
      return [400, 'this is not a valid HTTP request']
  }
}

function failure(type: string, code: string, message: string, requestId: string): string {
  return JSON.stringify({ error: { type, code, message, request_id: requestId } })
}

function headersOf(text: string, requestId: string): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    'x-request-id': requestId,
  }
}
