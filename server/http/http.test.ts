import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { createAccount } from '../accounts/create-account.ts'
import { lockAccount } from '../accounts/bounds.ts'
import { defaultPoolSizes } from '../db/client.ts'
import { onCitus } from '../db/cluster/test-citus.ts'
import { until } from '../../rig/until.ts'
import { codeOf, callApi } from '../../test/api-client.ts'
import { startTestApp } from '../../test/test-app.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const app = fixture(() =>
  startTestApp({ role: 'api', env: { MUSTER_RATE_LIMIT: '500', MUSTER_DOCS: 'on' } }),
)

const sendRaw = (path: string, body: string | Uint8Array<ArrayBuffer>) =>
  fetch(app.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.key}`, 'content-type': 'application/json' },
    body,
  })

describe('request ids', () => {
  it('are on every answer, the own one echoed when well formed', async () => {
    const made = await app.call('GET', '/v1/account')
    assert.match(made.headers.get('x-request-id') ?? '', /^req_[0-9a-z]{26}$/)
    const own = await app.call('GET', '/v1/nothing', { headers: { 'x-request-id': 'abc-1.2:3' } })
    assert.equal(own.headers.get('x-request-id'), 'abc-1.2:3')
    assert.equal(own.body.error.request_id, 'abc-1.2:3')
    const bad = await app.call('GET', '/healthz', { headers: { 'x-request-id': 'a b' } })
    assert.match(bad.headers.get('x-request-id') ?? '', /^req_/)
  })
})

describe('headers', () => {
  /** Sends text over a connection of its own; returns the response's first line and headers. */
  async function raw(lines: string[]): Promise<string> {
    const { hostname, port } = new URL(app.url)
    const socket = connect(Number(port), hostname)
    socket.write([...lines, 'connection: close', '', ''].join('\r\n'))
    const parts = await Array.fromAsync(socket as AsyncIterable<Buffer>)
    return Buffer.concat(parts).toString()
  }

  it('name one host, or the request is refused', async () => {
    for (const wrong of [['host: a b'], ['host: a', 'host: b'], ['host: a/b'], ['host: <x>']]) {
      assert.match(await raw(['GET /v1/account HTTP/1.1', ...wrong]), /^HTTP\/1\.1 400 /)
    }
    for (const right of ['example.com:3000', '[::1]:3000', '127.0.0.1', 'my_host']) {
      assert.match(await raw(['GET /v1/account HTTP/1.1', `host: ${right}`]), /^HTTP\/1\.1 401 /)
    }
  })

  it('tell browsers to take every answer for what its type says', async () => {
    for (const path of ['/', '/v1/account', '/healthz', '/openapi.json', '/nothing', '/%zz']) {
      assert.match(
        await raw([`GET ${path} HTTP/1.1`, 'host: a']),
        /x-content-type-options: nosniff/,
      )
    }
    assert.match(await raw(['nonsense']), /400 .*x-content-type-options: nosniff/s)
  })

  it('refuse a body in a coding that is not decoded', async () => {
    for (const path of ['/v1/workflows', '/hooks/x']) {
      const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
      const answer = await app.call('POST', path, { body: {}, headers })
      assert.deepEqual(codeOf(answer), [415, 'unsupported_media_type'])
      assert.match(answer.body.error.message, /Content-Encoding gzip is not decoded/)
    }
    // Without a body, there is nothing to decode.
    assert.equal(
      (await app.call('GET', '/v1/agents', { headers: { 'content-encoding': 'gzip' } })).status,
      200,
    )
  })
})

describe('requests that fit no route', () => {
  it('get 404 for a path, 405 with Allow for a method', async () => {
    const path = await app.call('GET', '/v2/x')
    assert.deepEqual(codeOf(path), [404, 'route_not_found'])
    const method = await app.call('PUT', '/v1/workflows/wf_x')
    assert.equal(method.status, 405)
    const preview = await app.call('PUT', '/v1/fine-tunes/preview')
    assert.equal(preview.headers.get('allow'), 'POST')
    assert.equal(method.headers.get('allow'), 'GET, HEAD, PATCH, DELETE')
  })

  it('get it for methods that have bodies, whatever the body', async () => {
    for (const verb of ['QUERY', 'PUT']) {
      const headers = { 'content-type': 'application/json' }
      for (const given of [
        {},
        { body: '{', headers },
        { body: 'x', headers: { 'content-type': 'a/b' } },
      ]) {
        const known = await app.call(verb, '/v1/workflows', given)
        assert.deepEqual([known.status, known.headers.get('allow')], [405, 'GET, HEAD, POST'])
        assert.deepEqual(codeOf(await app.call(verb, '/v2/x', given)), [404, 'route_not_found'])
      }
    }
  })

  it('get 415 for another content type, 413 for a body over 1 MB, 400 for bad UTF-8', async () => {
    const post = (headers: Record<string, string>, body: string) =>
      app.call('POST', '/v1/workflows', { headers, body })
    const type = await post({ 'content-type': 'text/plain' }, 'x')
    assert.deepEqual(codeOf(type), [415, 'unsupported_media_type'])
    const large = await app.call('POST', '/v1/workflows', { body: { name: 'x'.repeat(2 ** 20) } })
    assert.deepEqual(codeOf(large), [413, 'body_too_large'])
    const broken = await sendRaw('/v1/workflows', Buffer.from([0x7b, 0xff, 0x7d]))
    assert.equal(broken.status, 400)
    assert.match(await broken.text(), /not valid UTF-8/)
  })

  it('get 400 for a whole number that would become another one, perhaps the id of another thing', async () => {
    const send = (body: string) => sendRaw('/v1/workflows/wfl_x/runs', body)
    for (const number of ['12345678901234567890', '-9007199254740993']) {
      const refused = await send(`{"data":{"text":"\\"1","ids":[1,${number}]}}`)
      assert.equal(refused.status, 400)
      assert.match(await refused.text(), new RegExp(`the number ${number} is too large to be kept`))
    }
    // The numbers pass; the answer is 404 because the workflow, which is looked up after the body
    // is read, does not exist.
    for (const kept of [
      '"12345678901234567890"',
      '9007199254740991',
      '0.12345678901234567',
      '1e20',
    ])
      assert.equal((await send(`{"data":{"a\\"b":${kept}}}`)).status, 404, kept)
  })

  it('get 400 where the address holds a NUL, whatever would be made of it', async () => {
    for (const path of ['/v1/agents/a%00b', '/v1/workflows/%00/runs', '/v1/agents?category=%00']) {
      const isRun = path.endsWith('/runs')
      const body = isRun ? { body: { input: 'x' } } : {}
      const answer = await app.call(isRun ? 'POST' : 'GET', path, body)
      assert.equal(answer.status, 400, path)
      assert.equal(answer.body.error.code, 'invalid_characters')
    }
  })

  it('get the error body and a request id for a path that is none', async () => {
    const broken = await app.call('GET', '/v1/agents/%zz')
    assert.equal(broken.status, 400)
    assert.equal(broken.body.error.request_id, broken.headers.get('x-request-id'))
    const long = await app.call('GET', `/v1/agents/${'x'.repeat(101)}`)
    assert.deepEqual(codeOf(long), [404, 'route_not_found'])
  })

  it('may send the content type without a body where none is needed', async () => {
    const answer = await app.call('POST', '/v1/runs/run_x/cancel', {
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(answer.status, 404)
  })

  it('take {} or no body where none is needed, and name a field that is too many', async () => {
    const { body: document } = await app.call('GET', '/openapi.json')
    type Operations = Record<string, { operationId: string; requestBody?: unknown }>
    const routes = Object.entries(document.paths as Record<string, Operations>).flatMap(
      ([path, methods]) =>
        Object.entries(methods)
          .filter(([method, { requestBody }]) => method !== 'get' && requestBody === undefined)
          .map(([method]) => [method.toUpperCase(), path.replace(/\{\w+\}/g, 'absent')] as const),
    )
    assert.ok(routes.some(([, path]) => path === '/v1/runs/absent/cancel'))
    for (const [method, path] of routes) {
      const send = (body: string) =>
        app.call(method, path, { body, headers: { 'content-type': 'application/json' } })
      for (const body of ['', '{}']) {
        const { status, body: answer } = await send(body)
        // A key has no session to sign out of.
        const wanted = path.includes('absent') ? 404 : 400
        assert.equal(status, wanted, `${method} ${path} with ${body}`)
        assert.notEqual(answer.error.code, 'unknown_field')
      }
      const unknown = await send('{"force":true}')
      assert.equal(unknown.status, 400, `${method} ${path}`)
      const { code, param, message } = unknown.body.error
      assert.deepEqual([code, param], ['unknown_field', 'force'])
      assert.match(message, /^Cannot .*: force is not a known field, this request takes none$/)
      for (const body of ['[]', 'null', '"x"']) {
        assert.equal((await send(body)).body.error.code, 'invalid_type', body)
      }
    }
  })

  it('get the field that was meant where a required one is misspelt', async () => {
    const crew = [{ role: 'r', systemPrompt: 's' }]
    for (const [body, param, field] of [
      [{ nmae: 'x' }, 'name', 'nmae'],
      [{ nmae: 'x', crew }, 'name', 'nmae'],
      [
        { name: 'x', crew: [{ role: 'r', system_prompt: 's' }] },
        'crew[0].systemPrompt',
        'crew[0].system_prompt',
      ],
      [
        { name: 'x', crew: [...crew, { systemprompt: 's' }] },
        'crew[1].systemPrompt',
        'crew[1].systemprompt',
      ],
    ] as const) {
      const { status, body: answer } = await app.call('POST', '/v1/workflows', { body })
      assert.equal(status, 400)
      assert.deepEqual([answer.error.code, answer.error.param], ['required', param])
      const meant = param.split('.').at(-1)
      const hint = `${field} is not a known field, did you mean ${meant}?`
      assert.equal(answer.error.message, `Cannot create workflow: ${param} is required; ${hint}`)
    }
    for (const body of [{ hint: 'x' }, { descripton: 'near to one that may be missing' }]) {
      const { body: answer } = await app.call('POST', '/v1/workflows', { body })
      assert.equal(answer.error.message, 'Cannot create workflow: name is required')
    }
  })

  it('get an answer to what is not HTTP', async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    socket.write('nonsense\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    assert.match(text, /^HTTP\/1\.1 400/)
    const [head, body] = text.split('\r\n\r\n')
    const { error } = JSON.parse(body ?? '')
    assert.equal(error.code, 'invalid_request')
    assert.ok(head?.includes(`x-request-id: ${error.request_id}`))
  })
})

describe('queries', () => {
  it('refuse a parameter that is not known, and name the nearest', async () => {
    for (const [path, message] of [
      [
        '/v1/agents?limt=3',
        'list agents: limt is not a known query parameter, did you mean limit?',
      ],
      [
        '/v1/account?limit=3',
        'retrieve account: limit is not a known query parameter, this request takes none',
      ],
      ['/v1/runs/run_x?wait=0.5', 'retrieve run: wait is "0.5", expected an integer'],
    ] as const) {
      const { status, body } = await app.call('GET', path)
      assert.deepEqual([status, body.error.message], [400, `Cannot ${message}`])
    }
  })

  it('refuse the cursor of another list', async () => {
    for (const name of ['a', 'b']) {
      await app.call('POST', '/v1/agents', { body: { name, role: 'r', systemPrompt: 's' } })
    }
    const { headers } = await app.call('GET', '/v1/agents?limit=1')
    const after = /after=([^&>]+)/.exec(headers.get('link') ?? '')?.[1]
    assert.equal((await app.call('GET', `/v1/agents?after=${after}`)).status, 200)
    for (const list of ['workflows', 'webhooks', 'models']) {
      const other = await app.call('GET', `/v1/${list}?after=${after}`)
      assert.deepEqual([other.status, other.body.error.code], [400, 'invalid_cursor'], list)
    }
  })
})

describe('a conflict under an Idempotency-Key', () => {
  it('is not kept: the request is done once the conflict is gone', async () => {
    const { id } = await app.post('/v1/workflows', { name: 'w' })
    const set = (status: string) => app.call('PATCH', `/v1/workflows/${id}`, { body: { status } })
    const trigger = () =>
      app.call('POST', `/v1/workflows/${id}/runs`, {
        body: { input: 'x' },
        headers: { 'idempotency-key': 'conflict' },
      })
    await set('paused')
    assert.equal((await trigger()).status, 409)
    await set('active')
    assert.equal((await trigger()).status, 202)
  })
})

it('lists that are in memory are whole where no limit is given', async () => {
  for (const path of ['/v1/models', '/v1/connectors']) {
    const whole = await app.call('GET', path)
    assert.equal(whole.headers.get('link'), null)
    assert.ok(whole.body.data.length > 2)
  }
})

describe('Idempotency-Key', () => {
  const post = (path: string, key: string, body: unknown) =>
    app.call('POST', path, { body, headers: { 'idempotency-key': key } })

  it('replays the stored answer, bare or quoted', async () => {
    const first = await post('/v1/workflows', 'key 1', { name: 'once' })
    const again = await post('/v1/workflows', '"key 1"', { name: 'once' })
    assert.equal(first.status, 201)
    assert.equal(first.headers.get('idempotent-replayed'), null)
    assert.equal(again.status, 201)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(again.body, first.body)
    const data = await app.get('/v1/workflows')
    assert.equal(data.filter(({ name }: { name: string }) => name === 'once').length, 1)
  })

  it('refuses another body, and is apart by path', async () => {
    await post('/v1/workflows', 'k2', { name: 'a' })
    const other = await post('/v1/workflows', 'k2', { name: 'b' })
    assert.deepEqual(codeOf(other), [422, 'idempotency_key_reused'])
    const path = await post('/v1/api-keys', 'k2', { name: 'a', role: 'viewer' })
    assert.equal(path.status, 201)
  })

  it('are not stored for requests that change nothing', async () => {
    const filter = { status: ['failed'] }
    const bodies: [path: string, body: object][] = [
      ['/v1/schedules/preview', { every_seconds: 3_600 }],
      ['/v1/runs/bulk', { action: 'cancel', filter, dry_run: true }],
    ]
    for (const [path, body] of bodies) {
      for (let time = 0; time < 2; time++) {
        const headers = { 'idempotency-key': 'harmless' }
        const answer = await app.call('POST', path, { body, headers })
        assert.ok(answer.status < 300, JSON.stringify(answer.body))
        assert.equal(answer.headers.get('idempotent-replayed'), null)
      }
    }
    const row = await app.row`select count(*)::int from idempotency_keys where key = 'harmless'`
    assert.equal(row['count'], 0)
  })

  it('lets one of many at once run', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post('/v1/workflows', 'k3', { name: 'race' })),
    )
    for (const { status, headers } of answers) {
      assert.ok(status === 201 || status === 409, String(status))
      if (status === 409) assert.equal(headers.get('retry-after'), '1')
    }
    const { body } = await app.call('GET', '/v1/workflows')
    assert.equal(body.data.filter(({ name }: { name: string }) => name === 'race').length, 1)
  })

  it('keeps no refusal of a body, but keeps a 404', async () => {
    assert.equal((await post('/v1/workflows', 'k4', { name: '' })).status, 400)
    assert.equal((await post('/v1/workflows', 'k4', { name: 'x', model: 'none' })).status, 400)
    assert.equal((await post('/v1/workflows', 'k4', { name: 'fine' })).status, 201)
    const path = '/v1/workflows/wf_00000000000000000000000000/runs'
    assert.equal((await post(path, 'k5', { input: 'x' })).status, 404)
    const again = await post(path, 'k5', { input: 'x' })
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  })

  it('is kept by requests that take long, also where their account has all its connections in use', async () => {
    const { accountId } = app
    const asked: ReturnType<typeof post>[] = []
    await app.database.transaction().execute(async (transaction) => {
      await lockAccount(transaction, accountId)
      for (let number = 0; number < 2 * defaultPoolSizes.database; number++) {
        asked.push(post('/v1/workflows', `long ${number}`, { name: 'long' }))
      }
      const areKept = async () => {
        const keys = await app.sql`
          select locked_at > now() - interval '1 minute' as "isKept" from idempotency_keys
          where key like 'long %'`
        return keys.length === asked.length && keys.every(({ isKept }) => isKept)
      }
      await until('they have their keys', 8_000, areKept)
      await app.sql`
        update idempotency_keys set locked_at = now() - interval '1 hour'
        where account_id = ${accountId} and key like 'long %'`
      await until('they say that they live', 8_000, areKept)
    })
    for (const { status } of await Promise.all(asked)) assert.equal(status, 201)
  })

  it('stores an answer with a secret encrypted', async () => {
    const first = await post('/v1/api-keys', 'k7', { name: 'a', role: 'viewer' })
    const again = await post('/v1/api-keys', 'k7', { name: 'a', role: 'viewer' })
    assert.equal(again.body.data.key, first.body.data.key)
    const row = await app.row`select * from idempotency_keys where key = 'k7'`
    assert.equal(row.encrypted, true)
    assert.ok(row.answer?.includes(first.body.data.key) === false)
  })

  const skip = onCitus('its tables take no triggers')

  it('can be used again when the answer could not be stored', { skip }, async () => {
    await app.sql`
      create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'disk full' using errcode = '53100'; end $$`
    await app.sql`
      create trigger refuse before update on idempotency_keys for each row
      when (new.key = 'k8' and new.status is not null) execute function refuse()`
    const broken = await post('/v1/workflows', 'k8', { name: 'kept once' })
    assert.equal(broken.status, 503)
    await app.sql`drop trigger refuse on idempotency_keys`
    const again = await post('/v1/workflows', 'k8', { name: 'kept once' })
    assert.equal(again.status, 201)
    const { body } = await app.call('GET', '/v1/workflows')
    const named = body.data.filter(({ name }: { name: string }) => name === 'kept once')
    assert.deepEqual(pluck(named, 'id'), [again.body.data.id])
  })

  it(
    'answers in the form of the contract where the layer itself has no database',
    { skip },
    async () => {
      await app.sql`
      create function be_full() returns trigger language plpgsql as $$
      begin raise exception 'disk full' using errcode = '53100'; end $$`
      const refuse = (what: string) =>
        sql
          .raw(
            `create or replace trigger be_full before ${what} on idempotency_keys
           for each row execute function be_full()`,
          )
          .execute(app.database)

      await refuse('insert')
      const unclaimed = await post('/v1/workflows', 'k10', { name: 'w' })
      assert.equal(unclaimed.status, 503)
      assert.equal(unclaimed.headers.get('retry-after'), '2')
      assert.equal(unclaimed.body.error.code, 'database_unavailable')

      await refuse('update or delete')
      // Neither refused request can change its idempotency record: the first would delete it, the
      // second would store its answer.
      for (const [path, body, status] of [
        ['/v1/workflows', { name: 'w', crew: [{ role: 'a', model: 'none/none' }] }, 400],
        ['/v1/workflows/wfl_00000000000000000000000000/runs', { input: 'x' }, 404],
      ] as const) {
        const refused = await post(path, 'k11', body)
        assert.equal(refused.status, status, JSON.stringify(refused.body))
        assert.deepEqual(Object.keys(refused.body), ['error'])
        assert.equal(refused.body.error.request_id, refused.headers.get('x-request-id'))
      }
      await app.sql`drop trigger be_full on idempotency_keys`
    },
  )

  it('keeps no answer with a secret where there is no key to encrypt it', async () => {
    await using open = await startTestApp({ role: 'api', env: { MUSTER_SECRET_KEY: '' } })
    const create = () =>
      open.call('POST', '/v1/api-keys', {
        body: { name: 'kept nowhere', role: 'viewer' },
        headers: { 'idempotency-key': 'k9' },
      })
    const made = await create()
    assert.equal(made.status, 201)
    assert.equal((await open.call('GET', '/v1/account', { key: made.body.data.key })).status, 200)
    const again = await create()
    assert.deepEqual(codeOf(again), [409, 'answer_not_kept'])
    assert.match(
      again.body.error.message,
      /^Cannot create API key: it was done .*MUSTER_SECRET_KEY/,
    )
    const { body } = await open.call('GET', '/v1/api-keys')
    const named = body.data.filter(({ name }: { name: string }) => name === 'kept nowhere')
    assert.equal(named.length, 1)
  })

  it('has 1 to 255 ASCII characters', async () => {
    assert.equal((await post('/v1/workflows', 'x'.repeat(255), { name: 'w' })).status, 201)
    const { status, body } = await post('/v1/workflows', 'x'.repeat(256), { name: 'w' })
    assert.equal(status, 400)
    assert.equal(body.error.param, 'Idempotency-Key')
    const foreign = await post('/v1/workflows', 'clé', { name: 'w' })
    assert.match(foreign.body.error.message, /characters outside ASCII, expected 1 to 255 of ASCII/)
  })
})

describe('the rate limit', () => {
  it('tells what is left, and refuses with Retry-After, each key for itself', async () => {
    const { key } = await app.post('/v1/api-keys', { name: 'busy', role: 'viewer' })
    const first = await app.call('GET', '/v1/account', { key })
    assert.equal(first.headers.get('ratelimit-policy'), '"default";q=500;w=60')
    assert.match(first.headers.get('ratelimit') ?? '', /^"default";r=499;t=\d+$/)
    // Sent at the same time, because eight tokens come back each second.
    const ask = () => app.call('GET', '/v1/account', { key })
    let refused: typeof first | undefined
    for (let i = 0; i < 20 && refused === undefined; i++) {
      const answers = await Promise.all(Array.from({ length: 100 }, ask))
      refused = answers.find(({ status }) => status !== 200)
    }
    assert.deepEqual(codeOf(refused), [429, 'rate_limited'])
    assert.ok(Number(refused?.headers.get('retry-after')) >= 1)
    assert.equal((await app.call('GET', '/v1/account')).status, 200)
  })
})

describe('the routes without a key', () => {
  it('tell that the process lives and is ready', async () => {
    const open = { key: null }
    assert.equal((await app.call('GET', '/healthz', open)).status, 200)
    const ready = await app.call('GET', '/readyz', open)
    assert.deepEqual(ready.body, { status: 'ready', database: true })
  })

  it('show metrics to admins alone where others can reach the port', async () => {
    await using open = await app.startAnother('api', { HOST: '0.0.0.0' })
    const name = { name: 'viewer', role: 'viewer' }
    const made = await app.post('/v1/api-keys', name)
    const ask = (key: string | null) => callApi(open.url ?? '', '', 'GET', '/metrics', { key })
    assert.equal((await ask(null)).status, 401)
    assert.equal((await ask(made.key)).body.error.code, 'role_required')
    assert.match((await ask(app.key)).body, /^muster_/m)
    const { id, adminKey } = await createAccount(app.database, 'suspended')
    const suspended = await app.call('POST', `/v1/operator/accounts/${id}/suspend`, { body: {} })
    assert.equal(suspended.status, 200)
    assert.equal((await ask(adminKey)).body.error.code, 'account_suspended')
  })

  it('show metrics of HTTP, runs, queue and the event loop', async () => {
    const { body } = await app.call('GET', '/metrics', { key: null })
    for (const name of [
      'muster_http_request_seconds_bucket',
      'muster_runs{status="queued"}',
      'muster_queue_ready_jobs',
      'muster_queue_oldest_seconds',
      'muster_nodejs_eventloop_lag_seconds',
    ]) {
      assert.ok(body.includes(name), name)
    }
  })

  it('send the document and the reference compressed, and not to those who have them', async () => {
    for (const path of ['/openapi.json', '/docs/', '/docs/js/scalar.js']) {
      const gzip = { 'accept-encoding': 'gzip' }
      const first = await app.call('GET', path, { key: null, headers: gzip })
      assert.equal(first.status, 200, path)
      assert.equal(first.headers.get('content-encoding'), 'gzip')
      const etag = first.headers.get('etag') ?? ''
      const again = await app.call('GET', path, {
        key: null,
        headers: { ...gzip, 'if-none-match': etag },
      })
      assert.deepEqual([again.status, again.body], [304, ''], path)
    }
  })

  it('leave the reference out where the operator says so', async () => {
    await using quiet = await startTestApp({ role: 'api', env: { MUSTER_DOCS: 'off' } })
    assert.equal((await quiet.call('GET', '/docs/', { key: null })).status, 404)
    assert.equal((await quiet.call('GET', '/openapi.json', { key: null })).status, 200)
  })

  it('show the reference without asking an outside host', async () => {
    const page = await app.call('GET', '/docs/', { key: null })
    assert.equal(page.status, 200)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'self'.*frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe-eval/)
    const sources = [...String(page.body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url)
    for (const source of sources) assert.doesNotMatch(source ?? '', /^(https?:)?\/\//)
  })
})
