import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { until } from '../rig/until.ts'
import { residentBytes } from '../rig/memory.ts'
import { startMuster } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { createAccount } from '../server/accounts/create-account.ts'
import { makeKey } from '../server/accounts/credentials.ts'
import { fixture, prepare } from './fixture.ts'
import { callApi, type CallOptions } from './api-client.ts'
import { startTestApp } from './test-app.ts'

/** `heldRequests` of an account (server/start/limits.ts). */
const maxHeldRequests = 1_000

/**
 * Malicious clients, over raw sockets, against a service in a process of its own. It stays up,
 * stays small and keeps answering others. No process executes runs here, so they stay queued.
 */
const megabyte = 1024 * 1024

const app = fixture(() => startTestApp({ role: 'api' }))
const folder = fixture(makeScratchFolder)
let port: number
const muster = fixture(() => startMuster({ role: 'api', folder: folder.path, env: app.env }))
prepare(async () => void (port = Number(new URL(muster.url).port)))

const call = (method: string, path: string, options?: CallOptions) =>
  callApi(muster.url, app.key, method, path, options)

async function open(text: string | Buffer = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

/** Everything received until the server closes. */
async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => (text += chunk))
  // A connection that is cut while this side is sending ends with an error as well.
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}

const post = () =>
  `POST /v1/workflows HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.key}\r\nContent-Type: application/json\r\n`

/** Checks that the service answers other clients. */
async function assertServes(): Promise<void> {
  assert.equal((await call('GET', '/v1/account')).status, 200)
}

describe('a body', () => {
  it('of 100 MB is refused before it is sent', async () => {
    const socket = await open(`${post()}Content-Length: ${100 * megabyte}\r\n\r\n`)
    const [head] = await once(socket, 'data')
    assert.match(String(head), /^HTTP\/1\.1 413/)
    socket.destroy()
  })

  it('without end is refused, cut after 128 MB, and takes no memory', async () => {
    const before = await residentBytes(muster.url)
    const chunk = Buffer.concat([
      Buffer.from('10000\r\n'),
      Buffer.alloc(0x10000, 'x'),
      Buffer.from('\r\n'),
    ])
    const floods = Array.from({ length: 5 }, async () => {
      const socket = await open(`${post()}Transfer-Encoding: chunked\r\n\r\n`)
      const closed = readAll(socket)
      let sent = 0
      while (sent < 256 * megabyte && socket.writable) {
        if (!socket.write(chunk)) {
          await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
        }
        sent += 0x10000
      }
      socket.destroy()
      // A client that is still sending may lose the response with the connection.
      assert.match(await closed, /^(HTTP\/1\.1 413|$)/)
      assert.ok(sent < 256 * megabyte, 'all of it was taken')
    })
    await Promise.all(floods)
    await assertServes()
    const grown = (await residentBytes(muster.url)) - before
    assert.ok(grown < 150 * megabyte, `grew by ${grown} bytes`)
  })

  it('of 100,000 levels is refused on every route that takes one', async () => {
    const levels = 100_000
    const deep = '['.repeat(levels) + ']'.repeat(levels)
    for (const [method, path] of [
      ['POST', '/v1/workflows'],
      ['PATCH', '/v1/agents/agt_x'],
      ['POST', '/v1/runs/run_x/respond'],
      ['PUT', '/v1/connectors/slack'],
    ] as const) {
      for (const body of [
        deep,
        `{"action":"approve","tool_input":{"a":${deep},"b":"\\u0000"}}`,
        '{"a":'.repeat(levels) + '1' + '}'.repeat(levels),
      ]) {
        const answer = await call(method, path, { body, headers: { 'idempotency-key': 'deep' } })
        assert.equal(answer.status, 400, `${method} ${path}`)
        assert.equal(answer.body.error.code, 'invalid_json')
      }
    }
  })

  it('that names a field twice counts the last one, as JSON does', async () => {
    const { status, body } = await call('POST', '/v1/workflows', {
      body: '{"name":"first","name":"last"}',
    })
    assert.equal(status, 201)
    assert.equal(body.data.name, 'last')
  })

  it('in broken UTF-8 is refused', async () => {
    const bytes = Buffer.from('7b226e616d65223a22c328227d', 'hex')
    const socket = await open(
      `${post()}Connection: close\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    )
    socket.write(bytes)
    assert.match(await readAll(socket), /^HTTP\/1\.1 400[^]*not valid UTF-8/)
  })
})

describe('headers', () => {
  it('of 1 MB, or thousands of them, get 431 at most, and the connection ends', async () => {
    for (const flood of [
      `x-a: ${'a'.repeat(megabyte)}\r\n`,
      Array.from({ length: 5_000 }, (_, n) => `x-${n}: 1\r\n`).join(''),
    ]) {
      const socket = await open(`GET /v1/account HTTP/1.1\r\nHost: x\r\n${flood}\r\n`)
      const text = await readAll(socket)
      // As above: the response may be lost with the connection.
      assert.match(text, /^(HTTP\/1\.1 431[^]*the headers are too large|$)/)
    }
  })

  it('that contradict each other about the length are refused', async () => {
    for (const lengths of [
      'Content-Length: 5\r\nContent-Length: 6\r\n',
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
      'Transfer-Encoding: chunked, identity\r\n',
      'Content-Length: -1\r\n',
    ]) {
      assert.match(await readAll(await open(`${post()}${lengths}\r\nhello`)), /^HTTP\/1\.1 400/)
    }
  })
})

describe('connections', () => {
  it('that idle by the thousand leave the others alone', async () => {
    const idle = await Promise.all(Array.from({ length: 2_000 }, () => open()))
    await assertServes()
    for (const socket of idle) socket.destroy()
  })

  it('with pipelined requests get every answer in order, and garbage ends them', async () => {
    const get = (n: number) => `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${n}\r\n\r\n`
    const count = 1_000
    const socket = await open(Array.from({ length: count }, (_, n) => get(n)).join(''))
    const closed = readAll(socket)
    let answers = 0
    const onData = (chunk: string) => {
      answers += chunk.split('HTTP/1.1 200').length - 1
      if (answers >= count - 1) socket.write('\0\xff garbage\r\n\r\n')
    }
    socket.on('data', onData)
    const text = await closed
    const ids = [...text.matchAll(/x-request-id: (\d+)\r/g)].map(([, id]) => Number(id))
    assert.deepEqual(
      ids,
      Array.from({ length: count }, (_, n) => n),
    )
    assert.match(text, /HTTP\/1\.1 400[^]*not a valid HTTP request/)
  })
})

describe('guessing keys', () => {
  it('gets 401 for each of 10,000 and does not hold up the others', async () => {
    const guess = async (n: number) => {
      const key = makeKey()
      // Half of them cannot be keys; the others need a lookup.
      const wrong = n % 2 === 0 ? key : key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
      const { status, body } = await call('GET', '/v1/account', { key: wrong })
      assert.equal(status, 401)
      assert.equal(body.error.code, 'invalid_api_key')
    }
    for (let sent = 0; sent < 10_000; sent += 200) {
      const volley = Array.from({ length: 200 }, (_, n) => guess(n))
      if (sent % 2_000 === 0) await assertServes()
      await Promise.all(volley)
    }
  })
})

describe('requests that are held open', () => {
  it('are bounded for an account, and leave the others alone', async () => {
    const workflow = (await call('POST', '/v1/workflows', { body: { name: 'held' } })).body.data
    const runs = `/v1/workflows/${workflow.id}/runs`
    const run = (await call('POST', runs, { body: { input: 'x' } })).body.data
    const stream = `/v1/runs/${run.id}/events`
    const wait = `/v1/runs/${run.id}?wait=60`
    const before = await residentBytes(muster.url)

    const streams = await Promise.all(Array.from({ length: 500 }, () => hold(stream)))
    const grown = ((await residentBytes(muster.url)) - before) / streams.length
    assert.ok(grown < 200 * 1024, `${Math.round(grown)} bytes for a stream`)
    await assertServes()

    // Ten too many: one of them is answered as soon as all slots are taken.
    const waits = Array.from({ length: maxHeldRequests - 490 }, () => send(wait))
    await Promise.any(waits.map((one) => once(one, 'response')))
    const refused = await call('GET', `/v1/runs/${run.id}?wait=1`)
    assert.equal(refused.status, 429)
    assert.equal(refused.body.error.code, 'too_many_held_requests')
    assert.equal(refused.headers.get('retry-after'), '5')
    assert.equal((await call('GET', stream)).status, 429)
    assert.equal((await call('GET', `/v1/runs/${run.id}`)).status, 200, 'no wait, no bound')

    const other = await createAccount(app.database, 'other')
    const theirs = { key: other.adminKey }
    const absent = await call('GET', '/v1/runs/run_00000000000000000000000000?wait=1', theirs)
    assert.equal(absent.status, 404, 'another account has a count of its own')

    for (const one of [...streams, ...waits]) one.destroy()
    await until('closed connections are not counted', 60_000, async () => {
      return (await call('GET', `/v1/runs/${run.id}?wait=1`)).status === 200
    })
  })

  function send(path: string) {
    const headers = { authorization: `Bearer ${app.key}` }
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false })
    sent.on('error', () => {})
    sent.end()
    return sent
  }

  /** A stream whose first frame has arrived. */
  async function hold(path: string) {
    const sent = send(path)
    const [response] = await once(sent, 'response')
    assert.equal(response.statusCode, 200)
    await once(response, 'data')
    return sent
  }
})
