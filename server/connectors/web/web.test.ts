import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { startReceiver } from '../../../rig/receiver.ts'
import { startTestApi } from '../test-api.ts'
import { createTestTools } from '../test-services.ts'

async function fetchFrom(listener: RequestListener, path = '/', signal?: AbortSignal) {
  await using receiver = await startReceiver(listener)
  await using tools = createTestTools()
  const url = `http://page.test:${receiver.port}${path}`
  return { url, ...(await tools.call('web.fetch', { url }, {}, signal)) }
}

describe('web.fetch', () => {
  it('gives a page as text, with the addresses of links and without scripts', async () => {
    const page = `<!doctype html><title>T</title><style>p{}</style><script>alert('x')</script>
      <h1>Prices</h1><p>One&nbsp;&amp; two\u200b <a href="/more">more</a></p><img src=x alt=pic>`
    const { status, output, url } = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
    })
    assert.equal(status, 'succeeded')
    const origin = new URL(url).origin
    assert.equal(output, `${url}\n\nT\n\n\nPrices\n\nOne\u00a0& two more [${origin}/more]`)
  })

  it('gives plain text and JSON as they are', async () => {
    const { output, url } = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('a <b>\n')
    })
    assert.equal(output, `${url}\n\na <b>`)
    const json = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}')
    })
    assert.match(json.output, /\{"a":1\}$/)
  })

  it('reads the charset that a mark, the header or the page names, as browsers do', async () => {
    const latin = Buffer.from('<p>caf\u00e9</p>', 'latin1')
    const utf8 = Buffer.from('<p>caf\u00e9</p>')
    const utf16 = Buffer.from('\ufeff<p>caf\u00e9</p>', 'utf16le')
    const after = (start: string, rest: Buffer) => Buffer.concat([Buffer.from(start), rest])
    const xml = (encoding: string, rest = latin) =>
      after(`<?xml version="1.0" encoding=${encoding}?>`, rest)
    const unmarked = Buffer.from(
      '<?xml version="1.0" encoding="UTF-16"?><p>caf\u00e9</p>',
      'utf16le',
    )
    const cases: [type: string, body: Buffer][] = [
      ['text/html; charset="ISO-8859-1"', latin],
      ["text/html; charset='iso-8859-1'", latin],
      ['text/html; charset = " ISO-8859-1 "', latin],
      ['text/html', after('<meta charset=windows-1252>', latin)],
      ['text/html', after("<meta content='text/html; charset=latin1' http-equiv=x>", latin)],
      ['text/html; charset=klingon', after('<meta charset="latin1">', latin)],
      ['text/html; charset=klingon', latin],
      ['text/html; charset=klingon', utf8],
      ['text/html; charset=', utf8],
      ['text/html', after('<meta charset="utf-16">', utf8)],
      ['text/html; charset=utf-8', utf16],
      ['text/plain', Buffer.from(utf16).swap16()],
      ['text/html; charset=latin1', after('\ufeff', utf8)],
      ['application/xml', xml('"ISO-8859-1"')],
      ['application/rss+xml', xml("'windows-1252'")],
      ['application/xhtml+xml', xml('"latin1"')],
      ['text/xml; charset=utf-8', xml('"latin1"', utf8)],
      ['text/xml', unmarked],
      ['text/xml', Buffer.from(unmarked).swap16()],
    ]
    for (const [type, body] of cases) {
      const { output } = await fetchFrom((_, response) => {
        response.writeHead(200, { 'content-type': type }).end(body)
      })
      assert.match(output, /caf\u00e9(<\/p>)?$/, `${type} ${body.toString('latin1')}`)
    }
  })

  it('reads what is compressed although that was not asked for, up to 1 MB of it', async () => {
    const fetchCoded = (encoding: string, body: Buffer) =>
      fetchFrom((_, response) => {
        response
          .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': encoding })
          .end(body)
      })
    const plain = Buffer.from('caf\u00e9')
    const cases: [encoding: string, body: Buffer][] = [
      ['gzip', gzipSync(plain)],
      ['X-GZIP', gzipSync(plain)],
      ['br', brotliCompressSync(plain)],
      ['deflate', deflateSync(plain)],
      ['deflate', deflateRawSync(plain)],
      ['zstd', zstdCompressSync(plain)],
      ['gzip, br', brotliCompressSync(gzipSync(plain))],
      ['identity', plain],
      ['', plain],
    ]
    for (const [encoding, body] of cases) {
      assert.match((await fetchCoded(encoding, body)).output, /\n\ncaf\u00e9$/, encoding)
    }
    const bomb = Buffer.alloc(100 * 1024 * 1024, 'a line\n')
    const noise = randomBytes(2 * 1024 * 1024).toString('base64')
    for (const [encoding, body] of [
      ['gzip', gzipSync(bomb, { level: 1 })],
      ['gzip', gzipSync(noise)],
      ['br', brotliCompressSync(noise, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ] as const) {
      const { status, output } = await fetchCoded(encoding, body)
      assert.equal(status, 'succeeded', output.slice(0, 300))
      assert.match(output, /\[The page is longer; the rest was left out\.\]$/)
      assert.ok(output.length < 51_000)
    }
    for (const [encoding, body, why] of [
      ['gzip', plain, /it is no valid gzip$/],
      ['gzip', gzipSync(plain).subarray(0, -9), /it is no valid gzip$/],
      ['compress', plain, /it is compressed as "compress"$/],
      ['br, br, br, br', plain, /it is compressed more than 3 times$/],
    ] as const) {
      const { status, output } = await fetchCoded(encoding, body)
      assert.equal(status, 'failed')
      assert.match(output, why)
    }
  })

  it('follows up to five redirects, relative ones too', async () => {
    const hop: RequestListener = (request, response) => {
      const left = Number(request.url?.slice(1))
      if (left === 0) response.writeHead(200, { 'content-type': 'text/plain' }).end('there')
      else response.writeHead(302, { location: `/${left - 1}#part` }).end()
    }
    assert.match((await fetchFrom(hop, '/5')).output, /\/0\n\nthere$/)
    const six = await fetchFrom(hop, '/6')
    assert.equal(six.status, 'failed')
    assert.match(six.output, /more than 5 redirects$/)
  })

  it('checks every hop: a redirect to this machine is refused', async () => {
    await using inside = await startReceiver((_, response) => response.end('secret'))
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(302, { location: `http://[::1]:${inside.port}/` }).end()
    })
    await using tools = createTestTools()
    const url = `http://page.test:${receiver.port}/`
    const { status, output } = await tools.call('web.fetch', { url })
    assert.equal(status, 'failed')
    assert.match(output, /host \[::1\] is not publicly reachable/)
    assert.equal(inside.connections, 0)
    assert.equal(receiver.connections, 1)
    for (const refused of ['file:///etc/passwd', 'http://169.254.169.254/', 'http://u:p@a.test/']) {
      const answer = await tools.call('web.fetch', { url: refused })
      assert.equal(answer.status, 'failed', refused)
    }
  })

  it('cuts an endless body at 1 MB', async () => {
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const line = `${'x'.repeat(9999)}\n`
      const write = () => {
        while (!response.destroyed && response.write(line));
      }
      response.on('drain', write)
      write()
    })
    await using tools = createTestTools()
    const url = `http://page.test:${receiver.port}/`
    const { status, output } = await tools.call('web.fetch', { url })
    assert.equal(status, 'succeeded')
    assert.match(output, /\[The page is longer; the rest was left out\.\]$/)
    assert.ok(output.length < 51_000)
    await receiver.until(() => receiver.open === 0)
  })

  it('ends with a slow body when its 10 s are over', async () => {
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).write('.')
    })
    await using tools = createTestTools()
    const { outbound } = tools.services
    const given: number[] = []
    tools.services.outbound = {
      ...outbound,
      request: (target, options) => {
        given.push(options.timeoutMs)
        return outbound.request(target, { ...options, timeoutMs: 100 })
      },
    }
    const { status, output } = await tools.call('web.fetch', {
      url: `http://page.test:${receiver.port}/`,
    })
    assert.equal(status, 'failed')
    assert.match(output, /no whole answer within 10 s$/)
    assert.ok(
      given.every((ms) => ms > 5_000 && ms <= 10_000),
      String(given),
    )
  })

  it('refuses what is not text, with words', async () => {
    const image = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).end('\x89PNG')
    })
    assert.equal(image.status, 'failed')
    assert.match(image.output, /it is image\/png, expected text$/)
    const disguised = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(Buffer.from([1, 0, 2]))
    })
    assert.match(disguised.output, /it is binary although it calls itself text\/plain$/)
    const missing = await fetchFrom((_, response) => response.writeHead(404).end('gone'))
    assert.equal(missing.status, 'failed')
    assert.match(missing.output, /it answered 404$/)
  })

  it('is not held up by deep or malformed pages', async () => {
    for (const part of ['<div>', '<b><i>', '<table><tr><td>x', '<', '<a ', '<li>x', '<b></x>']) {
      const page = part.repeat(1_000_000 / part.length)
      let before: NodeJS.CpuUsage | undefined
      const { status } = await fetchFrom((_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(page)
        response.on('close', () => (before = process.cpuUsage()))
      })
      assert.equal(status, 'succeeded')
      // CPU time of this process alone, since the machine may be busy with others.
      assert.ok(process.cpuUsage(before).user < 1_000_000, part)
    }
  })
})

describe('web.search', () => {
  it('asks Brave Search with its key and gives titles, addresses and descriptions', async () => {
    await using api = await startTestApi()
    const hit = { title: 'T', url: 'https://a.example/', description: 'a <strong>b</strong>', x: 1 }
    api.answers({ body: { type: 'search', web: { results: [hit, hit, hit] } } })
    const input = { query: 'a & b', count: 2 }
    const { status, output } = await api.tools.call('web.search', input, { search_key: 'BSA-1' })
    assert.equal(status, 'succeeded')
    const expected = { title: 'T', url: 'https://a.example/', description: 'a b' }
    assert.deepEqual(JSON.parse(output), { results: [expected, expected] })
    const [request] = api.requests
    assert.equal(request?.path, '/res/v1/web/search?q=a+%26+b&count=2')
    assert.equal(request?.headers['x-subscription-token'], 'BSA-1')
  })

  it('never is unknown, and says what is wrong with the key', async () => {
    await using api = await startTestApi()
    const detail = 'The provided subscription token is invalid.'
    api.answers({ status: 422, body: { type: 'ErrorResponse', error: { detail } } })
    const tested = await api.tools.test('web', { search_key: 'BSA-1' })
    assert.equal(tested.ok, false)
    assert.match(tested.message, /422: the key or the query is not valid: The provided/)
    api.answers('cut')
    const result = await api.tools.call('web.search', { query: 'x' }, { search_key: 'BSA-1' })
    assert.equal(result.status, 'failed')
  })
})
