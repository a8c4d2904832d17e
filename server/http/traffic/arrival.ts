import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { answerClientError } from '../malformed.ts'

/** Of a body that was refused: it is read so that its sender reads the answer, and not for ever. */
const maxRestBytes = 128 * 1024 * 1024

/**
 * How long the body of a request may take to arrive. Those of Node's own server have one time for all; here
 * a body that is read at a least rate (`arriving-body.ts`) takes as long as its size asks for.
 */
const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Answers 408 to a request whose body is not there in time, and closes the connection. */
export function limitArrival(request: IncomingMessage, response: ServerResponse, ms: number): void {
  const { headers } = request
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (!hasBody) return
  const begin = (): void => {
    clearTimeout(timers.get(request))
    if (!request.complete) timers.set(request, setTimeout(cutOff, ms, request, response).unref())
  }
  begin()
  response.once('finish', () => {
    begin()
    if (!request.complete) readRest(request)
  })
  request.once('close', () => clearTimeout(timers.get(request)))
}

/**
 * Keeps the connection of a request that is refused while its body arrives: a sender whose connection is closed
 * while it writes never reads the answer.
 */
export function keepForRest(reply: FastifyReply): void {
  if (reply.statusCode >= 400) reply.removeHeader('connection')
}

function readRest(request: IncomingMessage): void {
  let bytes = 0
  // Of whatever read it before: with such a listener it would not flow.
  request.removeAllListeners('readable')
  request.on('data', (part: Uint8Array) => {
    bytes += part.length
    if (bytes > maxRestBytes) request.socket.destroy()
  })
  request.resume()
}

/** The rate check takes over from this timeout. */
export function leaveToRate(request: IncomingMessage): void {
  clearTimeout(timers.get(request))
}

function cutOff(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  if (request.complete || socket.destroyed) return
  if (response.headersSent) return void socket.destroy()
  const late = Object.assign(new Error('The request is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  answerClientError(late, socket)
}
