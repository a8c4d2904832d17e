import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { Gauge, Registry } from 'prom-client'
import { createTestDatabase } from '../db/test-database.ts'
import { RunChanges, type Feed } from '../engine/feed/feed.ts'
import { createMetricsServer } from './metrics.ts'

describe('the port of the metrics', () => {
  it('answers as the API does: request ids, the error body, and why it is not ready', async () => {
    await using testDatabase = await createTestDatabase()
    await using database = testDatabase.open(2)
    const onError = () => {}
    const feed = new RunChanges(database, onError) as unknown as Feed
    const log = pino({ level: 'silent' })
    const registry = new Registry()
    let collected = 0
    const collect = (): void => void collected++
    registry.registerMetric(new Gauge({ name: 'g', help: 'g', registers: [], collect }))
    const server = await createMetricsServer({ database, feed, log }, { registry })
    const get = async (url: string, headers = {}) => {
      const answer = await server.inject({ url, headers })
      const { error, ...rest } = answer.headers['content-type']?.toString().includes('json')
        ? answer.json()
        : {}
      if (error !== undefined) {
        assert.deepEqual(rest, {})
        assert.equal(error.request_id, answer.headers['x-request-id'])
      }
      assert.match(String(answer.headers['x-request-id']), /^(req_[0-9a-z]{26}|own)$/)
      return { status: answer.statusCode, body: rest, error }
    }

    const ready = await get('/readyz', { 'x-request-id': 'own' })
    assert.deepEqual([ready.status, ready.body], [200, { status: 'ready', database: true }])
    const texts = await Promise.all(Array.from({ length: 20 }, () => get('/metrics')))
    assert.ok(texts.every(({ status }) => status === 200))
    assert.equal(collected, 1, 'one text for all who ask within a second')
    assert.equal((await get('/healthz')).status, 200)
    assert.equal((await get('/nothing')).error.code, 'route_not_found')
    assert.equal((await server.inject({ method: 'POST', url: '/healthz' })).statusCode, 405)

    feed[Symbol.dispose]()
    const stopping = await get('/readyz')
    assert.deepEqual([stopping.status, stopping.error.code], [503, 'shutting_down'])
    assert.equal((await get('/healthz')).status, 200)
    await server.close()
  })
})
