import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccount } from '../accounts/create-account.ts'
import { until } from '../../rig/until.ts'
import { fixture } from '../../test/fixture.ts'
import { codeOf } from '../../test/api-client.ts'
import { startTestApp } from '../../test/test-app.ts'
import { send, startScriptedServer, type ScriptedServer } from '../../rig/scripted-server.ts'
import { chatWire } from '../models/test-provider-wire.ts'

const key = 'sk-own-0123456789'

/** A server with OpenAI's API that accepts one key. */
async function startProvider(name: string, models = ['tiny', 'large']): Promise<ScriptedServer> {
  const server = await startScriptedServer((response, call) => {
    const { path, headers } = server.requests[call - 1] ?? { path: '', headers: {} }
    if (headers.authorization !== `Bearer ${key}`) {
      const error = { message: `Incorrect API key provided: ${headers.authorization?.slice(7)}` }
      return send(response, { error }, 401)
    }
    if (path.endsWith('/models')) return send(response, { data: models.map((id) => ({ id })) })
    const usage = chatWire.usage(3, 2)
    send(response, chatWire.whole({ text: `${name} says OK`, finish: 'stop', usage }))
  })
  return server
}

describe('model providers of an account', () => {
  const app = fixture(() => startTestApp())
  const server = fixture(() => startProvider('own'))
  const other = fixture(() => startProvider('other'))
  const url = '/v1/model-providers/acme'
  const set = (body: object) => app.put(url, body)
  const listed = async (id: string, as?: string) =>
    (await app.get('/v1/model-providers', as)).find((one: { id: string }) => one.id === id)

  it('run a workflow on a server of the account, and are told apart by their state', async () => {
    const models = [{ id: 'tiny', price_in: 1, price_out: 2, label: 'Tiny' }]
    const made = await set({ base_url: server.url, api_key: key, label: 'Acme', models })
    assert.equal(made.state, 'working')
    assert.equal(made.message, 'tiny answered')
    assert.equal(made.source, 'account')
    assert.deepEqual(made.models, models)
    assert.ok(server.requests.every(({ path }) => path === '/v1/chat/completions'))
    const known = (await app.get('/v1/models')).find(
      (one: { id: string }) => one.id === 'acme/tiny',
    )
    assert.deepEqual([known.available, known.price_in, known.label], [true, 1, 'Tiny'])
    const run = await app.run(await app.createWorkflow({ model: 'acme/tiny' }))
    assert.equal(run.status, 'completed')
    assert.equal(run.output, 'own says OK')
    assert.equal(run.cost_usd, (2 * (3 + 2 * 2)) / 1e6)
    assert.ok(!JSON.stringify(await app.get('/v1/model-providers')).includes(key))
  })

  it('stay silent for as long as the account lets them', async () => {
    await using silent = await startScriptedServer(() => {})
    const body = { base_url: silent.url, api_key: null, models: [{ id: 'slow' }] }
    const impatient = await app.put('/v1/model-providers/slow', { ...body, timeout_seconds: 0.1 })
    assert.deepEqual(
      [impatient.timeout_seconds, impatient.state, impatient.message],
      [0.1, 'failing', 'no answer within 0.1 s'],
    )
    const renamed = await app.put('/v1/model-providers/slow', { label: 'Slow' })
    assert.equal(renamed.timeout_seconds, 0.1)
    const refused = await app.call('PUT', '/v1/model-providers/slow', {
      body: { timeout_seconds: 3_601 },
    })
    assert.equal(refused.status, 400)
    await app.delete('/v1/model-providers/slow')
  })

  it('show no key in answers, errors, audit, export or table', async () => {
    await set({ base_url: server.url, api_key: 'sk-wrong-987654321', models: [{ id: 'tiny' }] })
    const shown = await listed('acme')
    assert.equal(shown.state, 'failing')
    assert.match(shown.message, /^status 401, Incorrect API key provided: \*\*\*$/)
    const bad = await app.call('PUT', url, { body: { api_key: 'sk with blanks' } })
    assert.deepEqual(codeOf(bad), [400, 'invalid_format'])
    const audit = await app.get('/v1/audit?object_id=acme')
    assert.deepEqual(
      [...new Set(audit.map((row: { action: string }) => row.action))],
      ['model_provider.set'],
    )
    const rows = await app.sql`select model_providers::text as row from model_providers`
    const all = JSON.stringify([shown, bad.body, audit, rows])
    for (const secret of [key, 'sk-wrong', 'with blanks']) assert.ok(!all.includes(secret), secret)
  })

  it('keep what is left out, and send a key to no other address', async () => {
    await set({ base_url: server.url, api_key: key, models: [{ id: 'tiny' }] })
    const renamed = await set({ label: 'Renamed' })
    assert.deepEqual(
      [renamed.label, renamed.state, renamed.base_url, renamed.has_key],
      ['Renamed', 'working', server.url, true],
    )
    const before = other.requests.length
    const moved = await app.call('PUT', url, { body: { base_url: other.url } })
    assert.deepEqual(codeOf(moved), [400, 'required'])
    assert.equal(moved.body.error.param, 'api_key')
    assert.equal(other.requests.length, before)
    const open = await set({ base_url: other.url, api_key: null })
    assert.deepEqual([open.has_key, open.state], [false, 'failing'])
  })

  it('take the models that the server lists where none are named', async () => {
    await app.delete(url)
    const made = await set({ base_url: `${server.url}/v1`, api_key: key })
    assert.deepEqual(made.models, [{ id: 'tiny' }, { id: 'large' }])
  })

  it('take no more models than can be offered, and say so', async () => {
    const names = Array.from({ length: 101 }, (_, n) => `m${n}`)
    await using many = await startProvider('many', names)
    const body = { base_url: many.url, api_key: key }
    const refused = await app.call('PUT', '/v1/model-providers/many', { body })
    assert.match(
      refused.body.error.message,
      /models is required: the server lists 101, at most 100/,
    )
  })

  it('of a built-in provider run its models on the key of the account', async () => {
    await using openai = await startScriptedServer((response) => {
      send(response, { data: [] })
    })
    const body = { api_key: key, base_url: openai.url }
    const made = await app.put('/v1/model-providers/openai', body)
    assert.deepEqual([made.kind, made.state, made.source], ['builtin', 'working', 'account'])
    assert.equal(openai.requests[0]?.path, '/v1/models')
    assert.equal(openai.requests[0]?.headers.authorization, `Bearer ${key}`)
    const model = async (as?: string) =>
      (await app.get('/v1/models', as)).find((one: { id: string }) => one.id === 'gpt-5.4')
    assert.equal((await model()).available, true)
    const stranger = await createAccount(app.database, 'stranger')
    assert.equal((await model(stranger.adminKey)).available, false)
    await app.delete('/v1/model-providers/openai')
    assert.equal((await model()).available, false)
  })

  it('that were removed are named in warnings, and fail runs in clear words', async () => {
    await set({ base_url: server.url, api_key: key, models: [{ id: 'tiny' }] })
    const id = await app.createWorkflow({ model: 'acme/tiny' })
    assert.deepEqual((await app.get(`/v1/workflows/${id}`)).warnings, [])
    await app.delete(url)
    const { warnings } = await app.get(`/v1/workflows/${id}`)
    assert.equal(warnings[0].code, 'model_unavailable')
    assert.match(warnings[0].message, /acme\/tiny cannot be run: its provider was removed/)
    const run = await app.run(id)
    assert.equal(run.error_code, 'step_failed')
    assert.match(run.error, /Cannot run acme\/tiny: no such model, or its provider/)
    const refused = await app.call('POST', '/v1/workflows', {
      body: { name: 'w', model: 'acme/tiny' },
    })
    assert.deepEqual(codeOf(refused), [400, 'unknown_model'])
    assert.deepEqual(codeOf(await app.call('POST', `${url}/test`)), [404, 'not_found'])
  })

  it('turn to failing by a real use, and back', async () => {
    let isRevoked = false
    await using fickle = await startScriptedServer((response) => {
      if (isRevoked) return send(response, { error: { message: 'This key was revoked' } }, 401)
      const usage = chatWire.usage(3, 2)
      send(response, chatWire.whole({ text: 'OK', finish: 'stop', usage }))
    })
    await set({ base_url: fickle.url, api_key: key, models: [{ id: 'tiny' }] })
    const id = await app.createWorkflow({ model: 'acme/tiny' })
    isRevoked = true
    const failed = await app.run(id)
    assert.match(failed.error, /Cannot run acme\/tiny at acme: status 401, This key was revoked/)
    await until('the use is noted', 1_500, async () => (await listed('acme')).state === 'failing')
    assert.equal((await listed('acme')).message, 'status 401, This key was revoked')
    isRevoked = false
    assert.equal((await app.run(id)).status, 'completed')
    await until('it works again', 1_500, async () => (await listed('acme')).state === 'working')
  })

  it('that were only saved work as soon as they are used', async () => {
    await set({ base_url: server.url, api_key: key, models: [{ id: 'tiny' }] })
    const id = await app.createWorkflow({ model: 'acme/tiny' })
    await app.sql`update model_providers set checked_at = null, failing_since = null`
    const fails = server.requests.length
    assert.equal((await app.run(id)).status, 'completed')
    assert.ok(server.requests.length > fails)
    await until('the use is noted', 1_500, async () => (await listed('acme')).state === 'working')
    assert.equal((await listed('acme')).message, 'acme/tiny answered a call')
  })

  it('are seen by other processes as soon as they change', async () => {
    await using second = await app.startAnother('api')
    const seen = async () => {
      const headers = { authorization: `Bearer ${app.key}` }
      const answer = await fetch(`${second.url}/v1/models`, { headers })
      const { data } = (await answer.json()) as { data: { id: string }[] }
      return data.some(({ id }) => id === 'seen/tiny')
    }
    assert.equal(await seen(), false)
    await app.put('/v1/model-providers/seen', { base_url: server.url, api_key: key })
    await until('a new provider is seen', 1_500, seen)
    await app.delete('/v1/model-providers/seen')
    await until('it is gone', 1_500, async () => !(await seen()))
  })

  it('belong to one account', async () => {
    await set({ base_url: server.url, api_key: key, models: [{ id: 'tiny' }] })
    const stranger = await createAccount(app.database, 'another')
    assert.equal(await listed('acme', stranger.adminKey), undefined)
    const body = { name: 'w', model: 'acme/tiny' }
    const refused = await app.call('POST', '/v1/workflows', { body, key: stranger.adminKey })
    assert.deepEqual(codeOf(refused), [400, 'unknown_model'])
  })

  it('are refused where the address or the id is no good', async () => {
    const refuse = async (id: string, body: object, param: string) => {
      const refused = await app.call('PUT', `/v1/model-providers/${id}`, { body })
      assert.equal(refused.status, 400, JSON.stringify(refused.body))
      assert.equal(refused.body.error.param, param)
    }
    const models = [{ id: 'tiny' }]
    await refuse('muster', { base_url: server.url, models }, 'id')
    await refuse('Acme', { base_url: server.url, models }, 'id')
    await refuse('fresh', { models }, 'base_url')
    await refuse('fresh', { base_url: 'http://10.0.0.1/v1', models }, 'base_url')
    await refuse('fresh', { base_url: 'https://169.254.169.254/v1', models }, 'base_url')
    await refuse('fresh', { base_url: 'https://user:pass@example.com', models }, 'base_url')
    await refuse('fresh', { base_url: `${server.url}/v1?key=a`, models }, 'base_url')
    await refuse('openai', { api_key: key, models }, 'models')
    await refuse('openai', {}, 'api_key')
    await refuse(
      'f'.repeat(40),
      { base_url: server.url, models: [{ id: 'm'.repeat(76) }] },
      'models[0].id',
    )
  })
})

describe('an account without keys of a server that does not share its own', () => {
  const app = fixture(() => startTestApp({ env: { MUSTER_SHARE_MODEL_KEYS: 'off' } }))
  const server = fixture(() => startProvider('own'))

  it('runs on its own provider, which becomes its default', async () => {
    const usable = (await app.get('/v1/models')).filter(
      (one: { available: boolean }) => one.available,
    )
    assert.deepEqual(
      usable.map((one: { id: string }) => one.id),
      ['muster/demo'],
    )
    const inheriting = await app.createWorkflow()
    assert.equal((await app.run(inheriting)).status, 'completed')
    await app.put('/v1/model-providers/acme', { base_url: server.url, api_key: key })
    assert.equal((await app.get(`/v1/workflows/${inheriting}`)).model, 'acme/tiny')
    assert.equal((await app.run(inheriting)).output, 'own says OK')
    const refused = await app.call('POST', '/v1/workflows', { body: { name: 'w', model: 'echo' } })
    assert.deepEqual(codeOf(refused), [400, 'unknown_model'])
  })
})
