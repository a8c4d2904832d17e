import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { CallOptions } from '../../test/api-client.ts'
import { startTestApp } from '../../test/test-app.ts'
import { prepare, fixture } from '../../test/fixture.ts'

let run: { id: string; workflow_id: string }
const app = fixture(() => startTestApp({ role: 'api' }))
prepare(async () => {
  const path = `/v1/workflows/${await app.createWorkflow()}/runs`
  run = await app.post(path, { input: 'x' })
})

async function refusal(method: string, path: string, options?: CallOptions) {
  const { status, body } = await app.call(method, path, options)
  return [status, body.error.code, body.error.message.replace(/^Cannot [^:]*: /, '')]
}

const authorization = (value: string) => ({ key: null, headers: { authorization: value } })

it('what is wrong in headers and queries is named with what is expected', async () => {
  const events = `/v1/runs/${run.id}/events`
  assert.deepEqual(await refusal('GET', events, { headers: { 'last-event-id': 'abc' } }), [
    400,
    'invalid_format',
    'last-event-id is "abc", expected a sequence number: events after it are sent',
  ])
  for (const value of ['0.5', 'x', '']) {
    assert.deepEqual(await refusal('GET', `/v1/runs/${run.id}?wait=${value}`), [
      400,
      'invalid_type',
      `wait is "${value}", expected an integer`,
    ])
  }
})

it('a field whose name is empty is named as such', async () => {
  for (const [method, path, options] of [
    ['GET', '/v1/agents?=1'],
    ['POST', '/v1/workflows', { body: { name: 'w', '': 1 } }],
  ] as const) {
    const [status, code, why] = await refusal(method, path, options)
    assert.deepEqual([status, code], [400, 'unknown_field'])
    assert.match(why, /^"" is not a known (query parameter|field), expected /)
  }
})

it('no body, null and keys that are never taken are told apart', async () => {
  for (const headers of [{}, { 'content-type': 'application/json' }]) {
    const refused = await refusal('POST', '/v1/workflows', { headers })
    assert.deepEqual(refused, [400, 'required', 'the body is required'])
  }
  assert.deepEqual(await refusal('POST', '/v1/workflows', { body: 'null' }), [
    400,
    'invalid_type',
    'the body must be an object, not null',
  ])
  for (const body of ['{"__proto__":{}}', '{"a":[{"\\u005f_proto__":1}]}']) {
    assert.deepEqual(await refusal('POST', '/v1/workflows', { body }), [
      400,
      'invalid_json',
      'the body has the key __proto__, which is never taken',
    ])
  }
})

it('data may have every other key that objects have of themselves', async () => {
  const data = {
    constructor: { prototype: { polluted: true } },
    prototype: 1,
    hasOwnProperty: null,
    toString: 'x',
  }
  const path = `/v1/workflows/${run.workflow_id}/runs`
  const { status, body } = await app.call('POST', path, { body: JSON.stringify({ data }) })
  assert.equal(status, 202)
  assert.deepEqual((await app.get(`/v1/runs/${body.data.id}`)).data, data)
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
  const refused = await refusal('POST', '/v1/workflows', {
    body: '{"name":"x","constructor":{"prototype":{}}}',
  })
  assert.equal(refused[1], 'unknown_field')
})

it('a header Authorization of another scheme is no unknown key, and is not repeated', async () => {
  const form = (what: string) => `the header Authorization ${what}, expected Bearer <API key>`
  for (const [value, what] of [
    ['Basic abc', 'has the scheme Basic'],
    ['Bearer', 'has no key'],
    [app.key, 'has another form'],
    ['', 'has another form'],
  ] as const) {
    const refused = await refusal('GET', '/v1/workflows', authorization(value))
    assert.deepEqual(refused, [401, 'missing_api_key', form(what)])
  }
  const unknown = await refusal('GET', '/v1/workflows', authorization('Bearer mst_x'))
  assert.equal(unknown[1], 'invalid_api_key')
})

it('an id that is empty is said to be missing', async () => {
  for (const [method, path, name] of [
    ['GET', '/v1/workflows/', 'id'],
    ['DELETE', '/v1/workflows/', 'id'],
    ['GET', '/v1/workflows//runs', 'id'],
    ['GET', `/v1/workflows/${run.workflow_id}/memory/`, 'memoryId'],
  ] as const) {
    assert.deepEqual(await refusal(method, path), [
      404,
      'not_found',
      `the path has no ${name} in it`,
    ])
  }
})
