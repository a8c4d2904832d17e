import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, WebhookVerificationError, type WebhookEvent } from '../sdk/index.ts'
import { readUpTo } from './read-text.ts'

/** A local webhook receiver for testing: verifies requests and passes events on. */
export interface ReceiverOptions {
  /** 0 for any free port. */
  port: number
  /** Requests wait until this resolves. */
  secrets: Promise<string[]>
  onEvent: (event: WebhookEvent, request: EventRequest) => Promise<EventAnswer>
  onRefused: (code: string, message: string) => void
}

/** A request with a verified signature. */
export interface EventRequest {
  body: Buffer<ArrayBuffer>
  headers: IncomingHttpHeaders
}

/** The sender stores the beginning of the text in the delivery's history. */
export interface EventAnswer {
  status: number
  text: string
}

export interface Receiver extends AsyncDisposable {
  url: string
}

const maxBodyBytes = 1024 * 1024
const maxConnections = 100
const requestTimeoutMs = 15_000

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const timeouts = { requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs }
  const server = createServer(timeouts, (request, response) => {
    // A sender that disconnects is not an error.
    receive(request, response, options).catch(() => response.destroy())
  })
  server.maxConnections = maxConnections
  await once(server.listen(options.port, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { secrets, onEvent, onRefused }: ReceiverOptions,
): Promise<void> {
  if (request.method !== 'POST') {
    refuse(405, 'wrong_method', `${request.method} is not accepted, expected POST`)
    return
  }
  const isTooLarge = Number(request.headers['content-length'] ?? 0) > maxBodyBytes
  // Keeps the request open, so that it can be answered.
  const parts = request.iterator({ destroyOnReturn: false })
  const body = isTooLarge ? undefined : await readUpTo(parts, maxBodyBytes)
  if (body === undefined) {
    refuse(413, 'body_too_large', `The body has more than ${maxBodyBytes} bytes`)
    return
  }
  let event: WebhookEvent
  try {
    event = await verifyWebhook(body, request.headers, await secrets)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    refuse(400, error.code, error.message)
    return
  }
  answer(await onEvent(event, { body, headers: request.headers }))

  function refuse(status: number, code: string, message: string): void {
    onRefused(code, message)
    answer({ status, text: `${code}: ${message}\n` })
  }

  function answer({ status, text }: EventAnswer): void {
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
  }
}
