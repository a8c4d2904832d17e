import type { Hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { answerClientError } from '../errors.ts'
import { DomainError } from '../../errors.ts'
import { within } from '../../within.ts'

/** How much of a refused body is read, so that its sender can read the response. */
const maxRestBytes = 128 * 1024 * 1024

/**
 * Timeouts for request bodies. Node's own server has one timeout for all; here a body with a
 * minimum rate (`arrivingBody`) may take as long as its size requires.
 */
const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Answers 408 to a request whose body is late, and closes the connection. */
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
 * Keeps the connection of a refused request open while its body arrives: a client whose connection
 * is closed while it writes never reads the response.
 */
export function keepForRest(reply: FastifyReply): void {
  if (reply.statusCode >= 400) reply.removeHeader('connection')
}

function readRest(request: IncomingMessage): void {
  let bytes = 0
  // Listeners of an earlier reader; with one of these, the stream would not flow.
  request.removeAllListeners('readable')
  request.on('data', (part: Uint8Array) => {
    bytes += part.length
    if (bytes > maxRestBytes) request.socket.destroy()
  })
  request.resume()
}

/** Turns the timeout off; the rate check takes over. */
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

const leastBytesPerSecond = 16 * 1024

/**
 * Yields a body in parts; throws if it is too large or its client too slow. Only time spent waiting
 * for the client counts, not time spent processing a part.
 */
export async function* arrivingBody(
  payload: AsyncIterable<Uint8Array>,
  action: string,
  { maxBytes, graceMs = 5_000 }: { maxBytes: number; graceMs?: number },
): AsyncGenerator<Uint8Array> {
  const iterator = payload[Symbol.asyncIterator]()
  let bytes = 0
  let waitedMs = 0
  for (;;) {
    const began = performance.now()
    const mayWaitMs = graceMs + (1_000 * bytes) / leastBytesPerSecond - waitedMs
    const part = await within(mayWaitMs, iterator.next(), () => tooSlow(action))
    waitedMs += performance.now() - began
    if (part.done === true) return
    bytes += part.value.length
    if (bytes > maxBytes) throw tooLarge(action, maxBytes)
    yield part.value
  }
}

/** A body in a buffer of its own, which can be moved to a thread. `expectedBytes` need not be true. */
export async function collectBody(
  parts: AsyncIterable<Uint8Array>,
  expectedBytes: number,
  hash?: Hash,
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array(expectedBytes)
  let length = 0
  for await (const part of parts) {
    hash?.update(part)
    const needed = length + part.length
    if (needed > bytes.length) bytes = new Uint8Array(bytes.buffer.transfer(2 * needed))
    bytes.set(part, length)
    length = needed
  }
  return new Uint8Array(bytes.buffer.transfer(length))
}

export function tooLarge(action: string, maxBytes: number): DomainError {
  const why = `the body has more than ${maxBytes} bytes`
  return new DomainError('body_too_large', `Cannot ${action}: ${why}`)
}

function tooSlow(action: string): DomainError {
  const why = `the body came with less than ${leastBytesPerSecond} bytes a second`
  return new DomainError('invalid_request', `Cannot ${action}: ${why}`)
}
