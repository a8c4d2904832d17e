import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import Type from 'typebox'
import type { Services } from '../context.ts'
import type { Authenticator } from '../identity.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { ndjson, ok } from './answer-shapes.ts'
import { operation, type Operation } from './operation.ts'
import { addResource } from './resource-routes.ts'
import { createHttpServer } from './server.ts'
import { testLimits } from '../start/test-limits.ts'

const apps: FastifyInstance[] = []
after(() => Promise.all(apps.map((app) => app.close())))

async function makeApp(): Promise<FastifyInstance> {
  const app = await createHttpServer({
    services: {
      log: pino({ level: 'silent' }, new PassThrough()),
      feed: { closed: false },
      limits: testLimits(),
    } as Services,
    authenticator: {} as Authenticator,
    metrics: { httpSeconds: { observe: () => {} } } as unknown as Metrics,
  })
  apps.push(app)
  return app
}

const sound = operation({
  id: 'things.create',
  route: 'POST /v1/things/:id',
  role: 'member',
  audit: 'workflow.created',
  action: 'create thing',
  summary: 'Create a thing',
  answer: ok(Type.String(), 'The thing.'),
  verb: ({ params }) => params.id,
})

const add = async (one: Operation, ids: Record<string, string> = { things: 'Thing id.' }) =>
  addResource(await makeApp(), { tag: 'Things', ids, schemas: {}, operations: [one] })

describe('startup fails', () => {
  it('where an operation has no role', async () => {
    const { role: _, ...rest } = sound
    await assert.rejects(add(rest as Operation), /things\.create has no role/)
  })

  it('where a mutation has no audit word', async () => {
    const { audit: _, ...rest } = sound
    await assert.rejects(add(rest), /things\.create changes something and has no audit word/)
  })

  it('where what only reads has an audit word', async () => {
    await assert.rejects(add({ ...sound, readOnly: true }), /changes nothing and has an audit word/)
    await assert.rejects(add({ ...sound, route: 'GET /v1/things/:id' }), /changes nothing/)
  })

  it('where an id of the path is not described', async () => {
    await assert.rejects(add(sound, {}), /the id of \/v1\/things\/:id is not described/)
  })

  it('where a route under /v1 is not an operation', async () => {
    const app = await makeApp()
    assert.throws(() => app.get('/v1/others', () => ''), /GET \/v1\/others is not an operation/)
  })
})

it('HEAD of a stream reads nothing of it', async () => {
  let read = 0
  const lines = function* (): Generator<string> {
    for (; read < 1_000; read++) yield 'line\n'
  }
  const app = await makeApp()
  const streamed = operation({
    id: 'lines.list',
    route: 'GET /v1/lines',
    role: 'anyone',
    action: 'list lines',
    summary: 'List lines',
    answer: ndjson('Lines.'),
    verb: ({ reply }) => void reply.type('application/x-ndjson').send(Readable.from(lines())),
  })
  await addResource(app, { tag: 'Lines', schemas: {}, operations: [streamed] })
  const { statusCode, headers } = await app.inject({ method: 'HEAD', url: '/v1/lines' })
  assert.deepEqual([statusCode, headers['content-type']], [200, 'application/x-ndjson'])
  // Had the body been started, its first line would be read by the next turn.
  await new Promise(setImmediate)
  assert.equal(read, 0)
  await app.inject({ method: 'GET', url: '/v1/lines' })
  assert.equal(read, 1_000)
})
