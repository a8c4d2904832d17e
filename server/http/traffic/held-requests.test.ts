import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Kysely, PostgresDialect } from 'kysely'
import pino from 'pino'
import Type from 'typebox'
import { unlimited } from '../../accounts/account-state.ts'
import { createAuthenticator } from '../../accounts/authenticate.ts'
import type { Identity } from '../../identity.ts'
import { until as waitUntil } from '../../../rig/until.ts'
import type { Services } from '../../context.ts'
import { createTestDatabase } from '../../db/test-database.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { HeldRequests } from './held-requests.ts'
import { ok } from '../answer-shapes.ts'
import { operation } from '../operation.ts'
import { addResource } from '../resource-routes.ts'
import { createHttpServer } from '../server.ts'
import { testLimits } from '../../start/test-limits.ts'

const maxHeld = 1_000
let app: FastifyInstance
let port: number
let known = Promise.withResolvers<Identity>()
let asked = 0
let signals: AbortSignal[] = []
const connections = new Set<Socket>()
const identity: Identity = {
  accountId: 'acc_1',
  account: unlimited,
  role: 'viewer',
  actor: { type: 'key', id: 'key_1', name: 'A key' },
}

before(async () => {
  app = await createHttpServer({
    services: {
      log: pino({ level: 'silent' }),
      feed: { closed: false },
      limits: testLimits(),
      shares: { of: () => undefined },
      accountModels: { of: () => undefined },
    } as unknown as Services,
    authenticator: {
      identify: () => {
        asked++
        return known.promise
      },
      findEnded: async () => new Set(),
    },
    metrics: { httpSeconds: { observe: () => {} } } as unknown as Metrics,
  })
  const held = new HeldRequests(testLimits().heldRequests, 3_600_000)
  await addResource(app, {
    tag: 'Test',
    schemas: {},
    operations: [
      operation({
        id: 'test.hold',
        route: 'GET /v1/held',
        role: 'viewer',
        action: 'hold',
        summary: 'Hold',
        answer: ok(Type.Unknown(), 'Never.'),
        verb: async ({ request, reply }) => {
          const signal = held.hold(request, reply)
          signals.push(signal)
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
          signal.throwIfAborted()
        },
      }),
    ],
  })
  app.server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.addresses()[0] as { port: number }).port
})
after(async () => {
  for (const socket of connections) socket.destroy()
  await app.close()
})

/** Sends `count` requests over one connection without waiting for answers. */
async function send(count: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write('GET /v1/held HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count))
  return socket
}

const until = (condition: () => boolean) => waitUntil(String(condition), 10_000, condition, 10)

async function assertHolds(): Promise<void> {
  signals = []
  const socket = await send(1)
  await until(() => signals.length === 1)
  assert.equal(signals[0]?.aborted, false)
  socket.destroy()
  await until(() => signals[0]?.aborted === true)
}

describe('a held request', () => {
  it('is not counted when its client left before it was known who asks', async () => {
    const sockets = await Promise.all(Array.from({ length: maxHeld }, () => send(1)))
    await until(() => asked === maxHeld)
    for (const socket of sockets) socket.resetAndDestroy()
    await until(() => connections.size === 0)
    known.resolve(identity)
    await assertHolds()
    assert.equal(signals.length, 1)
  })

  it('is released with its connection also when it stands behind others on it', async () => {
    known.resolve(identity)
    signals = []
    const sockets = await Promise.all(Array.from({ length: maxHeld / 100 }, () => send(100)))
    await until(() => signals.length === maxHeld)
    const [refused] = await once(await send(1), 'data')
    assert.match(String(refused), /^HTTP\/1\.1 429/)
    for (const socket of sockets) socket.destroy()
    await until(() => signals.every(({ aborted }) => aborted))
    await assertHolds()
  })

  it('ends with its key also while its account waits for the database', async () => {
    await using testDatabase = await createTestDatabase()
    await using database = testDatabase.open(1)
    const pool = { connect: () => new Promise<never>(() => {}), options: {}, end: async () => {} }
    const own = new Kysely({ dialect: new PostgresDialect({ pool }) })
    const held = new HeldRequests(testLimits().heldRequests, 10)
    const log = pino({ level: 'silent' })
    const raw = new EventEmitter()
    const request = {
      ctx: { ...identity, database: own },
      server: { authenticator: createAuthenticator(database), log },
      raw: { socket: { destroyed: false } },
      routeOptions: { config: {} },
    } as unknown as FastifyRequest
    const signal = held.hold(request, { raw } as unknown as FastifyReply)
    await until(() => signal.aborted)
    raw.emit('close')
  })
})
