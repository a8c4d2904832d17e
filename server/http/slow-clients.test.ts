import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import type { Services } from '../context.ts'
import type { Metrics } from '../metrics.ts'
import { createHttpServer } from './server.ts'

let app: FastifyInstance
let port: number

before(async () => {
  app = createHttpServer({
    services: { log: pino({ level: 'silent' }), watcher: { closed: false } } as Services,
    authenticate: () => Promise.reject(new Error('no key here')),
    metrics: { httpSeconds: { observe: () => {} } } as unknown as Metrics,
    rateLimitPerMinute: 0,
    timeouts: { headersMs: 300, requestMs: 700, checkEveryMs: 50 },
  })
  app.post('/echo', (request) => ({ got: request.body }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.addresses()[0] as { port: number }).port
})
after(() => app.close())

/** Sends a beginning, then drips a byte now and then; resolves with the answer when it is cut off. */
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
