import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { after, before, describe, it } from 'node:test'
import { until } from '../../rig/until.ts'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import type { Services } from '../context.ts'
import type { Authenticator } from '../identity.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { leaveToRate, arrivingBody } from './traffic/arrival.ts'
import { createHttpServer } from './server.ts'
import { testLimits } from '../start/test-limits.ts'

/** The port of a server that cuts slow clients off early. */
let port: number
/**
 * The port of a server with longer limits, so that a busy machine delays no client into being cut
 * off.
 */
let patientPort: number
const apps: FastifyInstance[] = []

const strict = {
  headersMs: 300,
  requestMs: 500,
  checkEveryMs: 50,
  unreadMs: 150,
  answerMs: 1_500,
}
const patient = { ...strict, requestMs: 15_000, unreadMs: 1_000, answerMs: 15_000 }
before(async () => {
  port = await start(strict)
  patientPort = await start(patient)
})
after(() => Promise.all(apps.map((app) => app.close())))

async function start(timeouts: typeof strict): Promise<number> {
  const app = await createHttpServer({
    services: {
      log: pino({ level: 'silent' }),
      feed: { closed: false },
      limits: testLimits(),
    } as Services,
    authenticator: {} as Authenticator,
    metrics: { httpSeconds: { observe: () => {} } } as unknown as Metrics,
    timeouts,
  })
  apps.push(app)
  app.post('/echo', (request) => ({ got: request.body }))
  app.addContentTypeParser('text/x-drops', async (_request: unknown, payload: IncomingMessage) => {
    leaveToRate(payload)
    const parts = arrivingBody(payload, 'read', { maxBytes: 1_000, graceMs: 10_000 })
    return Buffer.concat(await Array.fromAsync(parts)).toString()
  })
  app.get('/large', async (_request, reply) => {
    track(reply.raw)
    return megabytes(20)
  })
  app.get('/endless', (_request, reply) => {
    track(reply.raw)
    return reply.send(Readable.from(endless()))
  })
  app.get('/late', async (_request, reply) => {
    track(reply.raw)
    await delay(patient.unreadMs + 100)
    return megabytes(20)
  })
  app.get('/dripping', (_request, reply) => reply.send(Readable.from(dripping())))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.addresses()[0] as { port: number }).port
}

/**
 * Sends a beginning, then single bytes at intervals; resolves with the answer when the connection
 * is cut off.
 */
async function drip(beginning: string, piece: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(beginning)
  const timer = setInterval(() => socket.writable && socket.write(piece), 40)
  const text = await readAll(socket)
  clearInterval(timer)
  return text
}

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(socket, 'close')
  return text
}

const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024, 'x').toString()

/** Responses whose connection the server still holds open. */
const open = new Set<ServerResponse>()
function track(response: ServerResponse): ServerResponse {
  open.add(response)
  return response.once('close', () => open.delete(response))
}

/** More than any client here reads. */
async function* endless(): AsyncGenerator<string> {
  for (let count = 0; count < 10_000; count++) yield megabytes(1)
}

/** A stream with pauses longer than a response may stay unread. */
async function* dripping(): AsyncGenerator<string> {
  for (let count = 0; count < 2; count++) {
    yield `: wait ${count}\n\n`
    await delay(patient.unreadMs + 100)
  }
}

const untilOpen = (count: number) =>
  until(`${count} answers are open`, 10_000, () => open.size === count)

describe('a client that does not read', () => {
  for (const path of ['/large', '/endless', '/late']) {
    it(`is cut off: GET ${path}`, async () => {
      const socket = connect(port, '127.0.0.1').pause()
      socket.on('error', () => {})
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
      await untilOpen(1)
      await untilOpen(0)
      socket.destroy()
    })
  }

  it('is cut off while it goes on sending', async () => {
    const socket = connect(port, '127.0.0.1').pause()
    socket.on('error', () => {})
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
    const timer = setInterval(() => socket.writable && socket.write('\r\n'), 40)
    await untilOpen(1)
    await untilOpen(0)
    clearInterval(timer)
    socket.destroy()
  })
})

describe('a client that reads', () => {
  it('keeps a stream with pauses, and an answer that was long in the making', async () => {
    const read = async (path: string) =>
      (await fetch(`http://127.0.0.1:${patientPort}${path}`)).text()
    const [dripped, late] = await Promise.all([read('/dripping'), read('/late')])
    assert.equal(dripped, ': wait 0\n\n: wait 1\n\n')
    assert.equal(late.length, megabytes(20).length)
  })

  it('slowly, but steadily, gets a large answer whole', async () => {
    const socket = connect(patientPort, '127.0.0.1')
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    let bytes = 0
    let paused = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      // Ten pauses: the whole response takes much longer than it may stay unread.
      if (bytes < (paused + 1) * 1.9 * 1024 * 1024) return
      paused++
      socket.pause()
      setTimeout(() => socket.resume(), 150)
    })
    await once(socket, 'close')
    assert.ok(bytes > 20 * 1024 * 1024, `${bytes} bytes`)
  })
})

describe('a client that is slow', () => {
  it('is cut off while it drips headers, and gets 408 with the error body', async () => {
    const text = await drip('POST /echo HTTP/1.1\r\nHost: x\r\n', 'x-a: b\r\n')
    assert.match(text, /^HTTP\/1\.1 408/)
    const body = JSON.parse(text.split('\r\n\r\n')[1] ?? '')
    assert.equal(body.error.code, 'invalid_request')
    assert.ok(text.includes(`x-request-id: ${body.error.request_id}`))
  })

  it('is cut off while it drips a body', async () => {
    const head =
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n'
    assert.match(await drip(head, ' '), /^HTTP\/1\.1 408/)
  })

  it('has the time that it needs where a body has a least rate of its own', async () => {
    const head =
      'POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/x-drops\r\nContent-Length: 20\r\n\r\n'
    const text = await drip(head, 'x')
    assert.match(text, /^HTTP\/1\.1 200/)
    assert.ok(text.endsWith(JSON.stringify({ got: 'x'.repeat(20) })), text)
  })

  it('is cut off when it says nothing at all', async () => {
    await readAll(connect(port, '127.0.0.1'))
  })

  it('does not hold up others', async () => {
    const slow = Array.from({ length: 200 }, () =>
      drip('POST /echo HTTP/1.1\r\nHost: x\r\n', 'x-a: b\r\n'),
    )
    const answer = await fetch(`http://127.0.0.1:${port}/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    })
    assert.deepEqual(await answer.json(), { got: { a: 1 } })
    await Promise.all(slow)
  })
})
