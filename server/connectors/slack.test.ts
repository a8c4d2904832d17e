import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApi } from './test-api.ts'
import { createTestTools } from './test-services.ts'

const credentials = { token: 'xoxb-secret' }
const message = { channel: '#sales', text: 'Hello <@U1>' }

describe('slack.post_message', () => {
  it('posts once, with the token in the header, and tells the channel and the timestamp', async () => {
    await using api = await startTestApi()
    api.answers({ body: { ok: true, channel: 'C01', ts: '1503435956.000247', message: {} } })
    const input = { ...message, thread_ts: '1503435950.000100' }
    const result = await api.tools.call('slack.post_message', input, credentials)
    assert.deepEqual(result, {
      status: 'succeeded',
      output: 'Posted to C01, ts 1503435956.000247.',
    })
    assert.equal(api.requests.length, 1)
    const [request] = api.requests
    assert.equal(`${request?.method} ${request?.path}`, 'POST /api/chat.postMessage')
    assert.equal(request?.headers.authorization, 'Bearer xoxb-secret')
    assert.equal(request?.headers['content-type'], 'application/json; charset=utf-8')
    assert.deepEqual(request?.body, input)
  })

  it('takes ok:false for the failure that it is, with a hint', async () => {
    await using api = await startTestApi()
    api.answers({ body: { ok: false, error: 'not_in_channel' } })
    assert.deepEqual(await api.tools.call('slack.post_message', message, credentials), {
      status: 'failed',
      output: 'Slack refused: not_in_channel (invite the app to the channel first)',
    })
    api.answers({ body: { ok: false, error: 'internal_error' } })
    const { status } = await api.tools.call('slack.post_message', message, credentials)
    assert.equal(status, 'unknown', 'Slack itself does not know')
  })

  it('is failed where nothing was posted and unknown where it may have been', async () => {
    await using api = await startTestApi()
    const call = (signal?: AbortSignal) =>
      api.tools.call('slack.post_message', message, credentials, signal)
    api.answers({ status: 429, headers: { 'retry-after': '30' } })
    assert.deepEqual(await call(), {
      status: 'failed',
      output: 'Slack answered 429: too many messages, try again later',
    })
    api.answers({ status: 503 })
    assert.deepEqual(await call(), { status: 'unknown', output: 'Slack answered 503' })
    api.answers({ body: 'not JSON' })
    assert.equal((await call()).status, 'unknown')
    api.answers('cut')
    assert.equal((await call()).status, 'unknown')
    api.answers('silence')
    const impatience = new AbortController()
    api.onSilence = () => impatience.abort()
    assert.equal((await call(impatience.signal)).status, 'unknown')
    assert.equal(api.requests.length, 5, 'nothing was retried')

    await using nobody = createTestTools({ port: 1 })
    const refused = await nobody.call('slack.post_message', message, credentials)
    assert.equal(refused.status, 'failed')
    assert.match(refused.output, /^Slack: cannot connect to 127\.0\.0\.1/)
  })
})

describe('the test of slack', () => {
  it('says who the token is, that it is not valid, or which scope is missing', async () => {
    await using api = await startTestApi()
    const body = { ok: true, team: 'Acme', user: 'muster' }
    api.answers({ body, headers: { 'x-oauth-scopes': 'users:read,chat:write' } })
    assert.deepEqual(await api.tools.test('slack', credentials), {
      ok: true,
      message: 'Slack knows the token as muster in Acme',
    })
    assert.equal(api.requests[0]?.path, '/api/auth.test')
    assert.equal(api.requests[0]?.headers.authorization, 'Bearer xoxb-secret')
    api.answers({ body, headers: { 'x-oauth-scopes': 'users:read' } })
    assert.match((await api.tools.test('slack', credentials)).message, /lacks the scope chat:write/)
    api.answers({ body: { ok: false, error: 'invalid_auth' } })
    assert.deepEqual(await api.tools.test('slack', credentials), {
      ok: false,
      message: 'Slack refused: invalid_auth (the token is not valid)',
    })
  })
})
