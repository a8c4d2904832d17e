import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp } from '../../test/test-app.ts'

const origin = 'https://app.example.com'

describe('pages of other origins', () => {
  it('may ask where the operator names them, and see why a key is refused', async () => {
    await using app = await startTestApp({
      role: 'api',
      env: { MUSTER_CORS_ORIGINS: `${origin}, http://127.0.0.1:8080` },
    })
    const preflight = await app.call('OPTIONS', '/v1/workflows', {
      key: null,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-origin'), origin)
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /\bPATCH\b/)
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /idempotency-key/)
    assert.equal(preflight.headers.get('access-control-allow-credentials'), null)

    for (const key of [app.key, null]) {
      const answer = await app.call('GET', '/v1/workflows', { key, headers: { origin } })
      assert.equal(answer.status, key === null ? 401 : 200)
      assert.equal(answer.headers.get('access-control-allow-origin'), origin)
      assert.match(answer.headers.get('vary') ?? '', /origin/i)
      assert.match(answer.headers.get('access-control-expose-headers') ?? '', /Link.*RateLimit/)
    }

    const unknown = await app.call('POST', '/v1/nothing', { body: {}, headers: { origin } })
    assert.equal(unknown.status, 404)
    assert.equal(unknown.headers.get('access-control-allow-origin'), origin)

    for (const stranger of ['https://app.example.com.evil.example', 'http://app.example.com']) {
      const answer = await app.call('GET', '/v1/workflows', { headers: { origin: stranger } })
      assert.equal(answer.headers.get('access-control-allow-origin'), null)
    }
  })

  it('may not by default', async () => {
    await using app = await startTestApp({ role: 'api' })
    const answer = await app.call('GET', '/v1/workflows', { headers: { origin } })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('access-control-allow-origin'), null)
    const preflight = await app.call('OPTIONS', '/v1/workflows', {
      key: null,
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    assert.equal(preflight.status, 405)
  })
})
