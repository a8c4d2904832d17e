import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createServer as createTlsServer } from 'node:https'
import { makeCertificate } from '../rig/certificate.ts'
import { closeServer, freePort, listenOnLoopback } from '../rig/loopback.ts'
import { send, startScriptedServer } from '../rig/scripted-server.ts'
import { Muster } from './index.ts'
import { pluck } from '../test/pluck.ts'

const account = { data: { id: 'acc_1', name: 'default' } }
const busy = (code: string) => ({ error: { type: 'unavailable', code, message: 'not now' } })

function client(
  baseUrl: string,
  options: { maxRetries?: number; timeoutMs?: number } = {},
): Muster {
  return new Muster({ apiKey: 'mst_test', baseUrl, ...options })
}

describe('the address of the SDK', () => {
  it('is refused when it is given, if it has no scheme or is none', () => {
    for (const baseUrl of ['localhost:3000', '127.0.0.1:3000', 'ftp://host', 'http://', ''])
      assert.throws(() => client(baseUrl), /Cannot use baseUrl .*expected an address with http/)
    for (const baseUrl of ['http://localhost:3000/', 'HTTPS://muster.example/path'])
      assert.ok(client(baseUrl))
  })

  it('of another origin than the page: the error names MUSTER_CORS_ORIGINS', async () => {
    const page = { origin: 'https://app.example.com' }
    Object.defineProperty(globalThis, 'location', { value: page, configurable: true })
    try {
      const baseUrl = `http://127.0.0.1:${await freePort()}`
      const call = client(baseUrl, { maxRetries: 0 }).account.retrieve()
      await assert.rejects(call, {
        code: 'unreachable',
        message: /pages of https:\/\/app\.example\.com: .* MUSTER_CORS_ORIGINS$/,
      })
      page.origin = baseUrl
      const own = client(baseUrl, { maxRetries: 0 }).account.retrieve()
      await assert.rejects(own, ({ message }) => !message.includes('MUSTER_CORS_ORIGINS'))
    } finally {
      Reflect.deleteProperty(globalThis, 'location')
    }
  })
})

describe('the SDK with a service in trouble', () => {
  it('repeats a read that was refused for now', async () => {
    await using server = await startScriptedServer((response, call) =>
      call === 1 ? send(response, busy('shutting_down'), 503) : send(response, account),
    )
    assert.equal((await client(server.url).account.retrieve()).id, 'acc_1')
    assert.equal(server.requests.length, 2)
    assert.equal(server.requests[0]?.headers.authorization, 'Bearer mst_test')
  })

  it('repeats a POST with the same idempotency key, cut connections included', async () => {
    await using server = await startScriptedServer((response, call) => {
      if (call === 1) response.destroy()
      else if (call === 2) send(response, busy('idempotency_in_progress'), 409)
      else send(response, { data: { id: 'wf_1' } }, 201)
    })
    assert.equal((await client(server.url).workflows.create({ name: 'A' })).id, 'wf_1')
    const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
    assert.equal(keys.length, 3)
    assert.equal(new Set(keys).size, 1)
    assert.match(String(keys[0]), /^[0-9a-f]{32}$/)
  })

  it('takes headers of the caller in place of its own, however they are written', async () => {
    await using server = await startScriptedServer((response) =>
      send(response, { data: { id: 'wf_1' } }, 201),
    )
    await client(server.url).workflows.create(
      { name: 'A' },
      { headers: { 'Idempotency-Key': 'mine', Authorization: 'Bearer mst_other' } },
    )
    const [request] = server.requests
    assert.equal(request?.headers['idempotency-key'], 'mine')
    assert.equal(request?.headers.authorization, 'Bearer mst_other')
  })

  it('takes query parameters and the options of the call in one object', async () => {
    await using server = await startScriptedServer((response) =>
      send(response, { data: { id: 'run_1' } }, 201),
    )
    const options = { deltas: true, idempotencyKey: 'mine', timeoutMs: 5_000 }
    await client(server.url).runs.create('wf_1', { input: 'Go' }, options)
    const [request] = server.requests
    assert.equal(request?.path, '/v1/workflows/wf_1/runs?deltas=true')
    assert.equal(request?.headers['idempotency-key'], 'mine')
    assert.equal(request?.body, '{"input":"Go"}')
  })

  it('waits as long as Retry-After says', async () => {
    await using server = await startScriptedServer((response, call) =>
      call === 1
        ? send(response, busy('rate_limited'), 429, { 'retry-after': '1' })
        : send(response, account),
    )
    const beganAt = performance.now()
    await client(server.url).account.retrieve()
    assert.ok(performance.now() - beganAt >= 990)
  })

  it('says at once when Retry-After lies behind the deadline', async () => {
    await using server = await startScriptedServer((response) =>
      send(response, busy('rate_limited'), 429, { 'retry-after': '120' }),
    )
    const call = client(server.url, { timeoutMs: 5_000 }).account.retrieve()
    await assert.rejects(call, { status: 429, code: 'rate_limited', retryAfterSeconds: 120 })
    assert.equal(server.requests.length, 1)
  })

  it('does not repeat changes that may have been made, nor what is wrong for good', async () => {
    await using server = await startScriptedServer((response, call) =>
      call === 1
        ? send(response, busy('database_unavailable'), 503)
        : send(
            response,
            { error: { type: 'conflict', code: 'workflow_paused', message: 'x' } },
            409,
          ),
    )
    await assert.rejects(client(server.url).workflows.delete('wf_1'), { status: 503 })
    await assert.rejects(client(server.url).runs.create('wf_1', { input: 'x' }), { status: 409 })
    assert.equal(server.requests.length, 2)
  })

  it('gives up after as many retries as it may make', async () => {
    await using server = await startScriptedServer((response) => send(response, busy('x'), 503))
    await assert.rejects(client(server.url, { maxRetries: 1 }).account.retrieve(), { status: 503 })
    assert.equal(server.requests.length, 2)
  })

  it('describes answers that are not Muster’s', async () => {
    await using server = await startScriptedServer((response, call) => {
      if (call === 1) send(response, '{"data": {"id"')
      else if (call === 2) send(response, '<h1>Welcome</h1>')
      else send(response, '<h1>Bad gateway</h1>', 404)
    })
    const { account: resource } = client(server.url)
    await assert.rejects(resource.retrieve(), { status: 200, code: 'malformed_answer' })
    await assert.rejects(resource.retrieve(), { status: 200, code: 'malformed_answer' })
    await assert.rejects(resource.retrieve(), { status: 404, message: /Bad gateway/ })
    assert.equal(server.requests.length, 3)
  })

  it('follows no redirect: neither key nor body go where nobody sent them', async () => {
    await using other = await startScriptedServer((response) => send(response, account))
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `${other.url}/v1/workflows`
      await using server = await startScriptedServer((response) =>
        send(response, '', status, { location }),
      )
      await assert.rejects(client(server.url).workflows.create({ name: 'A' }), {
        status,
        code: 'redirected',
        message: /redirects to http:.*set baseUrl/,
      })
      await assert.rejects(client(server.url).account.retrieve(), { code: 'redirected' })
      assert.equal(server.requests.length, 2)
    }
    assert.equal(other.requests.length, 0)
  })

  it('ends a call that hangs, in the headers or in the body', async () => {
    await using server = await startScriptedServer((response, call) => {
      if (call === 2) response.writeHead(200).write('{"data":')
    })
    const { account: resource } = client(server.url, { timeoutMs: 100 })
    await assert.rejects(resource.retrieve(), { status: 0, type: 'timeout', code: 'timeout' })
    await assert.rejects(resource.retrieve(), { status: 0, type: 'timeout', code: 'timeout' })
    await server.until(() => server.cut === 2)
  })

  it('stops with the reason of the caller’s signal, between tries too', async () => {
    await using server = await startScriptedServer((response, call) => {
      if (call > 1) send(response, busy('x'), 503, { 'retry-after': '30' })
    })
    const { account: resource } = client(server.url)
    for (const call of [1, 2]) {
      const controller = new AbortController()
      const retrieving = resource.retrieve({ signal: controller.signal })
      void server.until(() => server.requests.length === call).then(() => controller.abort('bye'))
      assert.equal(await retrieving.catch((reason: unknown) => reason), 'bye')
    }
    assert.equal(await resource.retrieve({ signal: AbortSignal.abort('no') }).catch(String), 'no')
    assert.equal(server.requests.length, 2)
  })

  it('says in words what is wrong with TLS', async () => {
    const failureAt = async (url: string): Promise<string> =>
      client(url, { maxRetries: 0 }).account.retrieve().then(String, String)
    const server = createTlsServer(makeCertificate('127.0.0.1'))
    const port = await listenOnLoopback(server)
    try {
      const trusted = await failureAt(`https://127.0.0.1:${port}`)
      assert.match(
        trusted,
        /certificate is not from an authority .*NODE_EXTRA_CA_CERTS.*\([A-Z_]+\)$/,
      )
    } finally {
      await closeServer(server)
    }
    await using plain = await startScriptedServer((response) => send(response, account))
    const spoken = await failureAt(plain.url.replace('http:', 'https:'))
    assert.match(spoken, /TLS could not be agreed on; .*use http:\/\/ \([A-Z_]+\)$/)
    assert.doesNotMatch(spoken, /openssl|\.c:/)
  })

  it('says that a service cannot be reached', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    await assert.rejects(client(url, { maxRetries: 0 }).account.retrieve(), {
      status: 0,
      type: 'connection',
      code: 'unreachable',
      message: /ECONNREFUSED/,
    })
  })

  it('follows only the cursor of a Link header, never its address', async () => {
    const link = '<https://elsewhere.example/v1/workflows?after=abc>; rel="next"'
    await using server = await startScriptedServer((response, call) =>
      send(response, { data: [{ id: `wf_${call}` }] }, 200, call === 1 ? { link } : {}),
    )
    const muster = client(`${server.url}/prefix`)
    const all = await Array.fromAsync(await muster.workflows.list({ limit: 1 }))
    assert.deepEqual(pluck(all, 'id'), ['wf_1', 'wf_2'])
    assert.equal(server.requests[1]?.path, '/prefix/v1/workflows?limit=1&after=abc')
  })
})
