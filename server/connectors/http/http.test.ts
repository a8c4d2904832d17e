import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { actOnce } from '../../../test/clerk.ts'
import { fixture, prepare } from '../../../test/fixture.ts'
import { startTestApp } from '../../../test/test-app.ts'
import { sendJson, startTestHttpApi, type TestHttpApi } from './test-http-api.ts'

const app = fixture(() => startTestApp())
const api = fixture(() => startTestHttpApi())
const other = fixture(() => startTestHttpApi())
let agentId: string

const getOrder = {
  name: 'get_order',
  description: 'Reads an order.',
  method: 'GET',
  path: '/orders/{id}',
  input_schema: {
    type: 'object',
    properties: { id: { type: 'string' }, fields: { type: 'array', items: { type: 'string' } } },
    required: ['id'],
  },
  query: ['fields'],
}
const cancelOrder = {
  name: 'cancel_order',
  description: 'Cancels an order.',
  method: 'POST',
  path: '/orders/{id}/cancel',
  input_schema: {
    type: 'object',
    properties: { id: { type: 'string' }, reason: { type: 'string' }, amount: { type: 'number' } },
    required: ['id'],
  },
}
const secret = 'tok-very-secret-1'
const connect = (fields: object = {}, id = 'shop') =>
  app.call('PUT', `/v1/connectors/${id}`, {
    body: {
      kind: 'http',
      base_url: `${api.url}/v1`,
      actions: [getOrder, cancelOrder],
      auth: { type: 'bearer', token: secret },
      ...fields,
    },
  })
const connected = async (fields: object = {}, id = 'shop') => {
  const { status, body } = await connect(fields, id)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}
const tried = (action: string, input: object, id = 'shop') =>
  app.post(`/v1/connectors/${id}/try`, { action, input })
const reset = (one: TestHttpApi): void => {
  one.requests.length = 0
  one.tests.length = 0
  one.answer = (_, response) => sendJson(response, { ok: true })
}

prepare(async () => {
  await connected()
  agentId = await app.createAgent({
    name: 'Nora',
    role: 'clerk',
    systemPrompt: 'act',
    connectors: ['shop'],
    capabilities: ['shop.get_order', 'shop.cancel_order'],
  })
})
beforeEach(() => {
  reset(api)
  reset(other)
})

async function runWith(name: string, input: object) {
  app.answer = actOnce({ name: `shop__${name}`, arguments: input })
  const crew = [{ role: 'clerk', systemPrompt: 'act', agentId }]
  const hitl = { enabled: true }
  return app.run(await app.createWorkflow({ crew, human_in_the_loop: hitl }))
}

describe('an HTTP connector', () => {
  it('shows its actions and login without secrets', async () => {
    const shown = await connected()
    assert.equal(shown.kind, 'http')
    assert.equal(shown.state, 'working')
    assert.equal(shown.base_url, `${api.url}/v1`)
    assert.deepEqual(shown.auth, { type: 'bearer' })
    const actions = shown.actions.map((one: Record<string, unknown>) => [
      one['id'],
      one['sensitive'],
    ])
    assert.deepEqual(actions, [
      ['shop.get_order', false],
      ['shop.cancel_order', true],
    ])
    const listed = await app.get('/v1/connectors')
    const audit = await app.get('/v1/audit?object_id=shop')
    assert.doesNotMatch(JSON.stringify([listed, audit]), /very-secret/)
  })

  it('sends path, query, body and login, and a key for what is not safe', async () => {
    await connected()
    const read = await tried('get_order', { id: 'a b/c', fields: ['x', 'y&z'] })
    assert.deepEqual(read, { status: 'succeeded', output: '{"ok":true}' })
    const [get] = api.requests
    assert.equal(get?.path, '/v1/orders/a%20b%2Fc?fields=x&fields=y%26z')
    assert.equal(get?.headers.authorization, `Bearer ${secret}`)
    assert.equal(get?.headers['idempotency-key'], undefined)
    await tried('cancel_order', { id: '7', reason: 'late', amount: 2 })
    const [, post] = api.requests
    assert.equal(post?.path, '/v1/orders/7/cancel')
    assert.deepEqual(JSON.parse(post?.body ?? ''), { reason: 'late', amount: 2 })
    assert.match(String(post?.headers['idempotency-key']), /^call_/)
  })

  it('sends an object in the query as JSON, so that its keys are no parameters', async () => {
    const properties = { id: { type: 'string' }, filter: {}, tags: { type: 'array' } }
    const input_schema = { type: 'object', properties }
    const query = ['filter', 'tags']
    const shown = await connected({ actions: [{ ...getOrder, input_schema, query }] })
    // Some providers refuse lists without items.
    assert.deepEqual(shown.actions[0].input_schema.properties.tags.items, {})
    await tried('get_order', { id: '1', filter: { admin: true } })
    assert.equal(api.requests[0]?.path, '/v1/orders/1?filter=%7B%22admin%22%3Atrue%7D')
  })

  it('never leaves the base address, whatever the input', async () => {
    await connected({
      actions: [getOrder, { ...getOrder, name: 'file', path: '/files/{id}.json' }],
    })
    const climbing = [
      '..',
      '.',
      '../admin',
      'a/../../b',
      '..\\..\\x',
      'a/..',
      '',
      '..%2f..',
      '%2e%2e',
    ]
    for (const id of climbing) {
      const { status, output } = await tried('get_order', { id })
      assert.equal(status, 'failed', id)
      assert.match(output, /Nothing was sent/)
    }
    for (const id of [
      '//evil.example/x',
      '@evil.example',
      'x?y=1#z',
      'https://evil.example',
      '\u00e9\n',
    ]) {
      await tried('get_order', { id })
      await tried('file', { id })
    }
    assert.ok(api.requests.length > 0)
    for (const { path } of api.requests) assert.match(path, /^\/v1\/(?:orders|files)\/[^/?#]+$/)
  })

  it('follows redirects of a GET within its origin alone', async () => {
    await connected()
    const hidden = `${other.url}/steal`
    api.answer = ({ path }, response) => {
      if (path === '/v1/orders/near') response.writeHead(302, { location: '/elsewhere' }).end()
      else if (path === '/v1/orders/far') response.writeHead(302, { location: hidden }).end()
      else if (path === '/v1/orders/loop') response.writeHead(302, { location: path }).end()
      else if (path.endsWith('/cancel')) response.writeHead(307, { location: '/elsewhere' }).end()
      else sendJson(response, { path })
    }
    assert.equal((await tried('get_order', { id: 'near' })).output, '{"path":"/elsewhere"}')
    const far = await tried('get_order', { id: 'far' })
    assert.equal(far.status, 'failed')
    assert.match(far.output, /another host/)
    assert.match((await tried('get_order', { id: 'loop' })).output, /for the 6th time/)
    const posted = await tried('cancel_order', { id: '1' })
    assert.equal(posted.status, 'failed')
    assert.equal(other.requests.length, 0)
  })

  it('fails a refusal, and leaves open what may have happened', async () => {
    await connected()
    const answers = async (status: number) => {
      api.answer = (_, response) => sendJson(response, { error: `no, ${secret}` }, status)
      const [read, write] = [
        await tried('get_order', { id: '1' }),
        await tried('cancel_order', { id: '1' }),
      ]
      assert.match(read.output, new RegExp(`answered ${status}: .*no, \\[secret\\]`))
      return [read.status, write.status]
    }
    assert.deepEqual(await answers(404), ['failed', 'failed'])
    assert.deepEqual(await answers(500), ['failed', 'unknown'])
    api.answer = (_, response) => void response.destroy()
    assert.equal((await tried('get_order', { id: '1' })).status, 'failed')
    assert.equal((await tried('cancel_order', { id: '1' })).status, 'unknown')
    await connected({ base_url: 'http://127.0.0.1:9' }, 'gone')
    assert.equal((await tried('cancel_order', { id: '1' }, 'gone')).status, 'failed')
    const listed = await app.get('/v1/connectors')
    const gone = listed.find(({ id }: { id: string }) => id === 'gone')
    assert.equal(gone.state, 'failing')
    await app.delete('/v1/connectors/gone')
  })

  it('keeps the login while the host stays the same, and never sends it to another', async () => {
    await connected({ headers: { 'X-Api': 'header-secret' } })
    const same = await connected({ auth: undefined, base_url: `${api.url}/v2` })
    assert.deepEqual([same.auth, same.header_names], [{ type: 'bearer' }, ['X-Api']])
    await tried('get_order', { id: '1' })
    assert.equal(api.requests[0]?.headers.authorization, `Bearer ${secret}`)
    assert.equal(api.requests[0]?.headers['x-api'], 'header-secret')
    const moved = await connected({ auth: undefined, base_url: other.url })
    assert.deepEqual([moved.auth, moved.header_names], [{ type: 'none' }, []])
    await tried('get_order', { id: '1' })
    assert.doesNotMatch(JSON.stringify([...other.requests, ...other.tests]), /secret/)
    await connected()
    assert.deepEqual((await connected({ auth: { type: 'none' } })).auth, { type: 'none' })
  })

  it('logs in by each kind of auth, and masks what an answer echoes', async () => {
    const echoing: TestHttpApi['answer'] = ({ headers, path }, response) =>
      sendJson(response, { authorization: headers.authorization, key: headers['x-key'], path })
    const kinds = [
      [{ type: 'basic', username: 'ada', password: 'pass"word' }, 'authorization', /^Basic /],
      [{ type: 'header', name: 'X-Key', value: 'key-of-shop' }, 'x-key', /^key-of-shop$/],
      [{ type: 'query', name: 'key', value: 'query secret' }, undefined, undefined],
    ] as const
    for (const [auth, header, pattern] of kinds) {
      await connected({ auth })
      api.answer = echoing
      const { output } = await tried('get_order', { id: '1' })
      const sent = api.requests.at(-1)
      if (header !== undefined) assert.match(String(sent?.headers[header]), pattern)
      else assert.equal(sent?.path, '/v1/orders/1?key=query%20secret')
      assert.doesNotMatch(output, /pass|YWRh|key-of-shop|query.*secret"/)
      assert.match(output, /\[secret\]/)
    }
  })

  it('gets a token by OAuth once, replaces it before it ends, and when it is refused', async () => {
    let issued = 0
    let isRefused = false
    api.answer = ({ path, headers, body }, response) => {
      if (path === '/token') {
        issued += 1
        assert.match(body, /grant_type=client_credentials&scope=a%20b/)
        assert.match(String(headers.authorization), /^Basic /)
        return sendJson(response, { access_token: `access-${issued}`, expires_in: 3600 })
      }
      if (isRefused && headers.authorization === 'Bearer access-1') {
        return sendJson(response, { error: 'expired' }, 401)
      }
      return sendJson(response, { token: headers.authorization })
    }
    const oauth = { token_url: `${api.url}/token`, client_id: 'c', client_secret: 'client-secret' }
    const shown = await connected({ auth: { type: 'oauth2', ...oauth, scopes: ['a', 'b'] } })
    assert.deepEqual(shown.auth, {
      type: 'oauth2',
      token_url: `${api.url}/token`,
      client_id: 'c',
      scopes: ['a', 'b'],
    })
    const all = await Promise.all([1, 2, 3].map(() => tried('get_order', { id: '1' })))
    for (const { output } of all) assert.equal(output, '{"token":"Bearer [secret]"}')
    assert.equal(issued, 1)
    isRefused = true
    assert.equal((await tried('cancel_order', { id: '1' })).status, 'succeeded')
    assert.equal(issued, 2)
  })

  it('is called by agents: what reads at once, the rest after an approval', async () => {
    await connected()
    const read = await runWith('get_order', { id: '5' })
    assert.equal(read.status, 'completed')
    assert.equal(read.output, 'done: {"ok":true}')
    assert.equal(api.requests.length, 1)
    const asked = await runWith('cancel_order', { id: '5', reason: 'late' })
    assert.equal(asked.status, 'waiting_input')
    assert.equal(api.requests.length, 1)
    await app.post(`/v1/runs/${asked.id}/respond`, { action: 'approve' })
    const done = await app.rest(asked.id)
    assert.equal(done.status, 'completed')
    const [call] = done.steps[0].tool_calls
    assert.equal(api.requests[1]?.headers['idempotency-key'], call.id)
    assert.doesNotMatch(JSON.stringify([read, done]), /very-secret/)
  })

  it('keeps large and binary answers as files of the run', async () => {
    await connected()
    const long = `${'x'.repeat(99)}\n`.repeat(1_000)
    api.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.end(`${long}${secret}`)
    }
    const run = await runWith('get_order', { id: '5' })
    const [call] = run.steps[0].tool_calls
    assert.equal(call.status, 'succeeded')
    assert.match(call.output, /^x{99}\n/)
    assert.match(run.output, /Whole answer: Written: answer-\w+\.txt/)
    const [file] = run.files.outputs
    const content = await fetch(`${app.url}/v1/files/${file.id}/content`, {
      headers: { authorization: `Bearer ${app.key}` },
    })
    assert.equal(await content.text(), `${long}[secret]`)
    const zip = Buffer.from('PK\u0003\u0004 no file that is kept')
    api.answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'application/zip' }).end(zip)
    const other = await runWith('get_order', { id: '5' })
    assert.match(
      other.steps[0].tool_calls[0].output,
      /^\[application\/zip, \d+ bytes\].*was not kept/s,
    )
  })
})

describe('connecting an HTTP API', () => {
  const refused = async (fields: object, code: string, param: string, message: RegExp) => {
    const { status, body } = await connect(fields, 'wrong')
    assert.equal(status, 400, JSON.stringify(body))
    assert.deepEqual([body.error.code, body.error.param], [code, param])
    assert.match(body.error.message, message)
    assert.doesNotMatch(body.error.message, /very-secret/)
  }
  const action = (fields: object) => ({ actions: [{ ...getOrder, ...fields }] })

  it('refuses an action that cannot be called, and says where', async () => {
    await refused(
      action({ path: 'orders' }),
      'invalid_value',
      'actions[0].path',
      /start with one \//,
    )
    await refused(action({ path: '//evil/{id}' }), 'invalid_value', 'actions[0].path', /one \//)
    await refused(action({ path: '/a/../{id}' }), 'invalid_value', 'actions[0].path', /climbs/)
    await refused(action({ path: '/a?x={id}' }), 'invalid_value', 'actions[0].path', /query/)
    await refused(action({ path: '/{order}' }), 'invalid_value', 'actions[0].path', /no property/)
    await refused(
      action({ query: ['page'] }),
      'invalid_value',
      'actions[0].query[0]',
      /no property/,
    )
    await refused(
      action({ query: [] }),
      'invalid_value',
      'actions[0].input_schema',
      /fields without a place/,
    )
    await refused(
      action({ method: 'POST', safe: true }),
      'invalid_value',
      'actions[0].safe',
      /GET and HEAD/,
    )
    await refused(action({ body: 'json' }), 'invalid_value', 'actions[0].body', /has no body/)
    const schema = { type: 'object', properties: { id: { type: 'strng' } } }
    await refused(
      action({ input_schema: schema }),
      'invalid_schema',
      'actions[0].input_schema',
      /no valid JSON Schema/,
    )
    await refused(
      { actions: [getOrder, getOrder] },
      'invalid_value',
      'actions[1].name',
      /another action/,
    )
    await refused(
      { actions: Array.from({ length: 101 }, () => getOrder) },
      'array_too_long',
      'actions',
      /100/,
    )
  })

  it('refuses addresses inside, and logins with missing or foreign fields', async () => {
    await refused(
      { base_url: 'http://169.254.169.254/' },
      'invalid_url',
      'base_url',
      /not publicly/,
    )
    await refused({ base_url: `${api.url}/?key=1` }, 'invalid_url', 'base_url', /has a query/)
    await refused({ auth: { type: 'bearer' } }, 'required', 'auth.token', /required/)
    await refused(
      { auth: { type: 'bearer', token: secret, name: 'x' } },
      'unknown_field',
      'auth.name',
      /bearer/,
    )
    await refused(
      { auth: { type: 'header', name: 'Host', value: 'x' } },
      'invalid_value',
      'auth.name',
      /itself/,
    )
    const inside = { token_url: 'http://169.254.169.254/', client_id: 'a', client_secret: 'b' }
    await refused(
      { auth: { type: 'oauth2', ...inside } },
      'invalid_url',
      'auth.token_url',
      /not publicly/,
    )
    await refused({ kind: 'soap' }, 'invalid_value', 'kind', /mcp, http, openapi/)
    assert.equal((await connect({}, 'email')).status, 400)
  })
})
