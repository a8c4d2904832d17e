import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { verifyWebhook } from '../sdk/index.ts'
import { makeCertificate } from './certificate.ts'
import { endChild } from './end-child.ts'

/**
 * A receiver of webhooks over HTTPS on loopback, in a process of its own, with a path for each
 * endpoint; it records arrivals.
 */
export interface ReceiverProcess extends AsyncDisposable {
  /** Without a path. */
  url: string
  /** Settings for a Muster that reaches and trusts it. */
  env: Record<string, string>
  addHooks(hooks: Hooks): void
  /** Returns the arrivals since the last time. */
  takeArrivals(): Promise<Arrival[]>
  countArrivals(): Promise<number>
}

/** `folder` is for the certificate. */
export async function startReceiverProcess(folder: string): Promise<ReceiverProcess> {
  const { cert, key } = makeCertificate('127.0.0.1')
  const certFile = join(folder, 'receiver.crt')
  await writeFile(certFile, cert)
  await writeFile(join(folder, 'receiver.key'), key)
  const child = fork(import.meta.filename, [folder], { serialization: 'advanced', execArgv: [] })
  const [{ port }] = (await once(child, 'message')) as [AddressInfo]
  const ask = async <T>(question: string): Promise<T> => {
    const answer = once(child, 'message')
    child.send(question)
    return ((await answer) as [T])[0]
  }
  return {
    url: `https://127.0.0.1:${port}`,
    env: { NODE_EXTRA_CA_CERTS: certFile, MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8' },
    addHooks: (hooks) => void child.send(hooks),
    takeArrivals: () => ask('arrivals'),
    countArrivals: () => ask('count'),
    [Symbol.asyncDispose]: () => endChild(child),
  }
}

export interface Hook {
  /** Signatures are verified only if it is set. */
  secret?: string
  /** Fractions of the requests, 0–1, that are answered with 500, or never. */
  fails?: number
  hangs?: number
}
export type Hooks = Record<string, Hook>

export interface Arrival {
  path: string
  webhookId: string
  type: string
  /** The run and its event number, which identify the event apart from its id. */
  event: string
  bodyHash: string
  isGenuine: boolean
  answer: 'taken' | 'failed' | 'hung'
  /** Milliseconds since the event happened. */
  latencyMs: number
  /** Milliseconds since 1970. */
  at: number
}

const hooks: Hooks = {}
const arrivals: Arrival[] = []

async function receive(
  path: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
  at: number,
): Promise<Arrival['answer']> {
  const hook = hooks[path] ?? {}
  const answer = chooseAnswer(hook)
  const { type, timestamp, data } = JSON.parse(body.toString()) as {
    type: string
    timestamp: string
    data: { id?: string; sequence?: number }
  }
  arrivals.push({
    path,
    webhookId: String(headers['webhook-id']),
    type,
    event: `${data.id} ${data.sequence}`,
    bodyHash: createHash('sha1').update(body).digest('base64'),
    isGenuine: hook.secret === undefined || (await isGenuine(body, headers, hook.secret)),
    answer,
    latencyMs: at - Date.parse(timestamp),
    at,
  })
  return answer
}

function chooseAnswer({ fails = 0, hangs = 0 }: Hook): Arrival['answer'] {
  const random = Math.random()
  return random < fails ? 'failed' : random < fails + hangs ? 'hung' : 'taken'
}

function isGenuine(body: Buffer, headers: IncomingHttpHeaders, secret: string): Promise<boolean> {
  return verifyWebhook(body, headers, secret).then(
    () => true,
    () => false,
  )
}

function respond(response: ServerResponse, answer: Arrival['answer']): void {
  if (answer !== 'hung') response.writeHead(answer === 'taken' ? 204 : 500).end()
}

if (import.meta.main) {
  const folder = process.argv[2] ?? '.'
  const certificate = {
    cert: readFileSync(`${folder}/receiver.crt`),
    key: readFileSync(`${folder}/receiver.key`),
  }
  const server = createServer(certificate, (request, response) => {
    const at = Date.now()
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      void receive(request.url ?? '', request.headers, Buffer.concat(parts), at).then((answer) =>
        respond(response, answer),
      )
    })
  })
  // Kept-alive connections stay open, because closing one would cost an attempt.
  server.keepAliveTimeout = 0

  process.on('message', (message: Hooks | 'arrivals' | 'count') => {
    if (message === 'arrivals') process.send?.(arrivals.splice(0))
    else if (message === 'count') process.send?.(arrivals.length)
    else Object.assign(hooks, message)
  })
  process.on('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
}
