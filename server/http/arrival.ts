import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerClientError } from './malformed.ts'

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
  // What is left of a body that was refused is read to its end.
  response.once('finish', begin)
  request.once('close', () => clearTimeout(timers.get(request)))
}

/** From here on somebody else sees to it that the body comes. */
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
