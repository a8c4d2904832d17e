import assert from 'node:assert/strict'
import type { IncomingMessage, RequestListener } from 'node:http'
import { describe, it } from 'node:test'
import { parseAllowedNetworks } from './address.ts'
import { call, fails, open, short } from './test-call.ts'
import { startRawReceiver, startReceiver } from '../../rig/receiver.ts'

describe('a call', () => {
  it('sends method, headers and body as they are and gives the answer', async () => {
    await using receiver = await startReceiver(async (request, response) => {
      const { method, url, headers } = request
      response.writeHead(418, { 'x-answer': 'yes' })
      response.end(JSON.stringify({ method, url, headers, body: await bodyOf(request) }))
    })
    await using transport = open()
    const answer = await call(transport, receiver, {
      method: 'POST',
      path: '/hook?a=b',
      headers: { 'X-Custom': 'one', 'content-type': 'text/plain' },
      body: 'héllo',
    })
    assert.equal(answer.status, 418)
    assert.equal(answer.headers['x-answer'], 'yes')
    assert.equal(answer.truncated, false)
    assert.ok(Number.isInteger(answer.durationMs) && answer.durationMs >= 0)
    const seen = JSON.parse(answer.body.toString())
    assert.deepEqual([seen.method, seen.url, seen.body], ['POST', '/hook?a=b', 'héllo'])
    assert.equal(seen.headers.host, `receiver.test:${receiver.port}`)
    assert.equal(seen.headers['x-custom'], 'one')
    assert.equal(seen.headers['accept-encoding'], 'identity')
  })

  it('is limited to https unless the caller says otherwise', async () => {
    await using receiver = await startReceiver((_, response) => response.end())
    await using transport = open()
    for (const allowHttp of [undefined, false]) {
      await assert.rejects(
        call(transport, receiver, { allowHttp }),
        fails('refused_address', /^scheme http is not accepted, expected https$/),
      )
    }
    assert.equal(receiver.connections, 0)
  })

  it('refuses a stored URL that the rules of writing would refuse', async () => {
    await using receiver = await startReceiver((_, response) => response.end())
    await using transport = open({ allowedNetworks: parseAllowedNetworks('') })
    const options = { method: 'GET', timeoutMs: 5000, maxResponseBytes: 100 } as const
    const host = `receiver.test:${receiver.port}`
    const refused: [url: string, message: RegExp][] = [
      [`https://user:secret@${host}/`, /^has a user name or password, expected a URL without$/],
      [`https://${host}/`, /^port \d+ is not accepted, expected 443;/],
      [`https://receiver.internal/`, /^host receiver.internal is not publicly reachable/],
      ['ftp://receiver.test/', /^scheme ftp is not accepted/],
      ['secret', /^is not a valid URL/],
    ]
    for (const [url, message] of refused) {
      await assert.rejects(transport.request(url, options), fails('refused_address', message))
    }
    assert.equal(receiver.connections, 0)
  })

  it('follows no redirect', async () => {
    await using inside = await startReceiver((_, response) => response.end('reached'))
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${inside.port}/` }).end()
    })
    await using transport = open()
    const { status, headers } = await call(transport, receiver)
    assert.equal(status, 307)
    assert.equal(headers.location, `http://127.0.0.1:${inside.port}/`)
    assert.equal(inside.connections, 0)
  })

  it('refuses headers that the transport sets, and malformed ones, without showing values', async () => {
    await using receiver = await startReceiver((_, response) => response.end())
    await using transport = open()
    const headers: Record<string, string>[] = [
      { Host: 'secret.internal' },
      { 'Transfer-Encoding': 'secret' },
      { 'x-a': 'secret\r\nx-b: 1' },
      { 'x a': 'secret' },
    ]
    for (const header of headers) {
      await assert.rejects(
        call(transport, receiver, { headers: header }),
        fails('protocol', /header/),
      )
    }
    assert.equal(receiver.connections, 0)
  })
})

describe('the body of an answer', () => {
  const sized =
    (bytes: number): RequestListener =>
    (_, response) =>
      response.end('x'.repeat(bytes))

  it('is whole up to the limit and cut past it', async () => {
    for (const [bytes, length, truncated] of [
      [0, 0, false],
      [999, 999, false],
      [1000, 1000, false],
      [1001, 1000, true],
      [500_000, 1000, true],
    ] as const) {
      await using receiver = await startReceiver(sized(bytes))
      await using transport = open()
      const answer = await call(transport, receiver)
      assert.deepEqual([answer.body.length, answer.truncated], [length, truncated])
    }
  })

  it('without an end is cut, and its connection closed', async () => {
    await using receiver = await startReceiver((_, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', write)
      write()
    })
    await using transport = open()
    const answer = await call(transport, receiver)
    assert.deepEqual([answer.status, answer.body.length, answer.truncated], [200, 1000, true])
    await receiver.until(() => receiver.open === 0)
  })

  it('that drips ends at the time-out, with the status that came', async () => {
    await using receiver = await startReceiver((_, response) => {
      const timer = setInterval(() => response.write('x'), 10)
      response.on('close', () => clearInterval(timer))
    })
    await using transport = open()
    const answer = call(transport, receiver, { timeoutMs: 300 })
    await assert.rejects(answer, fails('timeout', /^no whole answer within 0.3 s$/, 200))
    await receiver.until(() => receiver.open === 0)
  })

  it('that breaks off is a failure, with the status that came', async () => {
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x')
      setImmediate(() => response.socket?.destroy())
    })
    await using transport = open()
    await assert.rejects(call(transport, receiver), fails('closed', /was closed before/, 200))
  })
})

describe('time and form', () => {
  it('a look-up that never answers ends at the time-out', async () => {
    await using receiver = await startReceiver((_, response) => response.end())
    await using transport = open({ lookup: () => Promise.withResolvers<never>().promise })
    await assert.rejects(call(transport, receiver, { timeoutMs: short }), fails('timeout', /0.1 s/))
    assert.equal(receiver.connections, 0)
  })

  it('a look-up or handshake without an end gives its connection up', async () => {
    await using silent = await startRawReceiver(() => undefined)
    await using transport = open({ connectTimeoutMs: short })
    await assert.rejects(
      call(transport, silent, { scheme: 'https' }),
      fails('connect', /^host receiver.test did not accept the connection$/),
    )
    await silent.until(() => silent.connections === 1 && silent.open === 0)
  })

  it('a name that does not resolve says so', async () => {
    await using receiver = await startReceiver((_, response) => response.end())
    const lookup = async (): Promise<never> => {
      throw Object.assign(new Error('secret'), { code: 'ENOTFOUND' })
    }
    await using transport = open({ lookup })
    await assert.rejects(
      call(transport, receiver),
      fails('dns', /^host receiver.test is not publicly/),
    )
  })

  const silences: [name: string, start: string, repeated: string][] = [
    ['no answer', '', ''],
    ['a header that never ends', 'HTTP/1.1 200 OK\r\nx-slow: ', 'x'],
    ['information without end', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ]
  for (const [name, start, repeated] of silences) {
    it(`${name} ends at the time-out, and its connection is closed`, async () => {
      await using receiver = await startRawReceiver((socket) => {
        socket.write(start)
        const timer = setInterval(() => socket.write(repeated), 10)
        socket.on('close', () => clearInterval(timer))
      })
      await using transport = open()
      await assert.rejects(
        call(transport, receiver, { timeoutMs: 300 }),
        fails('timeout', /^no whole answer within 0.3 s$/),
      )
      await receiver.until(() => receiver.open === 0)
    })
  }

  it('headers that are too large and answers that are not HTTP are failures', async () => {
    const answers: [answer: string, message: RegExp][] = [
      [`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, /larger than 16 KB/],
      ['SSH-2.0-OpenSSH_9.9\r\n', /not well-formed HTTP/],
      [
        'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx',
        /not well-formed HTTP/,
      ],
    ]
    for (const [answer, message] of answers) {
      await using receiver = await startRawReceiver((socket) => {
        socket.once('data', () => socket.write(answer))
      })
      await using transport = open()
      await assert.rejects(call(transport, receiver), fails('protocol', message))
      await receiver.until(() => receiver.open === 0)
    }
  })
})

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const part of request) body += String(part)
  return body
}
