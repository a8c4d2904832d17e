import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { makeCertificate } from './certificate.ts'
import { closeServer, listenOnLoopback, watchChanges } from './loopback.ts'

/** A real HTTPS receiver on loopback, trusted by this process, that records requests. */
export interface WebhookReceiver extends AsyncDisposable {
  url: string
  received: Received[]
  connections: number
  /** Answers the next requests; 200 by default. */
  answer: (request: Received, response: ServerResponse) => void
  /** Resolves as soon as the condition holds. */
  until: (condition: () => boolean) => Promise<void>
}

export interface Received {
  headers: IncomingHttpHeaders
  text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  body: any
}

const certificate = makeCertificate('127.0.0.1')
setDefaultCACertificates([...getCACertificates(), certificate.cert])

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const { changed, until } = watchChanges()
  const server = createServer(certificate, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const text = Buffer.concat(parts).toString()
      const received = { headers: request.headers, text, body: JSON.parse(text) }
      receiver.received.push(received)
      receiver.answer(received, response)
      changed()
    })
  })
  server.on('secureConnection', () => {
    receiver.connections += 1
  })
  const port = await listenOnLoopback(server)
  const receiver: WebhookReceiver = {
    url: `https://127.0.0.1:${port}/hook`,
    received: [],
    connections: 0,
    answer: (_request, response) => response.end('ok'),
    until,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
  return receiver
}

/** A receiver that answers with a status. */
export function answerWith(status: number, headers: Record<string, string> = {}, text = '') {
  return (_request: Received, response: ServerResponse): void => {
    response.writeHead(status, headers).end(text)
  }
}
