import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { after, describe, it, before } from 'node:test'
import { parseAllowedNetworks } from './address.ts'
import { createGuardedConnect, type Lookup, createLookup } from './guarded-connect.ts'
import { createGuardedTransport } from './guarded-transport.ts'
import { OutboundError } from './outbound-error.ts'
import { createOutbound } from './outbound.ts'
import { toTarget } from './destination.ts'
import { startReceiver } from '../../rig/receiver.ts'
import { badHosts } from './test-urls.ts'
import { fixture } from '../../test/fixture.ts'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

const get = { method: 'GET', timeoutMs: 5000, maxResponseBytes: 100, allowHttp: true } as const

function isRefused(error: unknown): boolean {
  assert.ok(error instanceof OutboundError, String(error))
  assert.equal(error.kind, 'refused_address')
  assert.match(error.message, /^host \S+ is not publicly reachable, expected /)
  return true
}

// The receiver listens on every address of this machine, so any way in would reach it. Its port is
// allowed: only the address can be the reason for a refusal.
describe('addresses that are not public', () => {
  const receiver = fixture(() => startReceiver((_, response) => response.end('reached')))
  after(async () => {
    assert.equal(receiver.connections, 0)
  })
  const rules = () => ({
    allowedNetworks: parseAllowedNetworks(''),
    allowedPorts: [receiver.port],
    lookup: async () => ['127.0.0.1'],
  })

  for (const [host] of badHosts) {
    it(`are refused when a call names ${host}`, async () => {
      await using transport = createGuardedTransport(rules())
      for (const scheme of ['http', 'https']) {
        await assert.rejects(
          transport.request(`${scheme}://${host}:${receiver.port}/`, get),
          isRefused,
        )
      }
    })

    it(`are refused by the connector itself for ${host}`, async () => {
      const url = new URL(`http://${host}:${receiver.port}/`)
      const target = toTarget(url)
      const connect = createGuardedConnect(target, { ...rules(), connectTimeoutMs: 5000 })
      const { promise, resolve } = Promise.withResolvers<unknown>()
      connect(
        { hostname: target.hostname, protocol: 'http:', port: String(target.port) },
        (error, socket) => {
          socket?.destroy()
          resolve(error)
        },
      )
      isRefused(await promise)
    })

    const literal = new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '')
    if (isIP(literal) === 0) continue
    for (const answer of [[literal], ['8.8.8.8', literal], [literal, '8.8.8.8']]) {
      it(`are refused when a name resolves to ${answer.join(' and ')} (${host})`, async () => {
        const outbound = createOutbound({ ...rules(), lookup: async () => answer })
        await using _ = outbound
        const url = `https://receiver.test:${receiver.port}/`
        assert.match((await outbound.check(url)) ?? '', /^host receiver.test is not publicly/)
        await assert.rejects(outbound.request(url, get), isRefused)
        await assert.rejects(outbound.request(url.replace('https', 'http'), get), isRefused)
      })
    }
  }

  it('are refused when a name turns bad after it was checked', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1']]
    await using outbound = createOutbound({ ...rules(), lookup: async () => answers.shift() ?? [] })
    const url = `https://receiver.test:${receiver.port}/`
    assert.equal(await outbound.check(url), undefined)
    await assert.rejects(outbound.request(url, get), isRefused)
    assert.deepEqual(answers, [])
  })

  it('are refused when a connection is asked for another host than was checked', async () => {
    const target = toTarget(new URL('http://8.8.8.8/'))
    const connect = createGuardedConnect(target, { ...rules(), connectTimeoutMs: 5000 })
    const { promise, resolve } = Promise.withResolvers<Error | null>()
    connect(
      { hostname: '127.0.0.1', protocol: 'http:', port: String(receiver.port) },
      (error, socket) => {
        socket?.destroy()
        resolve(error)
      },
    )
    assert.match((await promise)?.message ?? '', /^host 127.0.0.1 is not the one that was checked/)
  })
})

describe('rebinding', () => {
  it('connects to the address that was checked, by one look-up for each connection', async () => {
    await using receiver = await startReceiver((request, response) => {
      response.setHeader('connection', 'close').end(request.socket.localAddress)
    })
    // A good answer, then a bad one: a second look-up after the check would reach 127.0.0.2.
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    const lookup: Lookup = async () => answers.shift() ?? []
    const allowedNetworks = parseAllowedNetworks('127.0.0.1/32')
    await using transport = createGuardedTransport({ allowedNetworks, lookup })
    const url = `http://receiver.test:${receiver.port}/`
    const { body } = await transport.request(url, get)
    assert.match(body.toString(), /127\.0\.0\.1$/)
    assert.equal(answers.length, 1)
    await assert.rejects(transport.request(url, get), isRefused)
    assert.equal(receiver.connections, 1)
  })
})

describe('allowed networks', () => {
  const allowedNetworks = parseAllowedNetworks('127.0.0.0/8')
  const reached = async (host: string, answer: readonly string[]): Promise<string> => {
    await using receiver = await startReceiver((_, response) => response.end('reached'))
    await using outbound = createOutbound({ allowedNetworks, lookup: async () => answer })
    const url = `http://${host}:${receiver.port}/`
    const refusal = await outbound.check(url, { allowHttp: true })
    const result = await outbound.request(url, get).then(
      ({ body }) => body.toString(),
      (error: Error) => error.message,
    )
    assert.equal(result, refusal ?? 'reached')
    assert.equal(receiver.connections, refusal === undefined ? 1 : 0)
    return result
  }

  it('are reached by address and by private or public name, on any port', async () => {
    assert.equal(await reached('127.0.0.1', []), 'reached')
    assert.equal(await reached('2130706433', []), 'reached')
    assert.equal(await reached('[::ffff:7f00:1]', []), 'reached')
    assert.equal(await reached('localhost', ['127.0.0.1']), 'reached')
    assert.equal(await reached('receiver.internal', ['127.0.0.1']), 'reached')
    assert.equal(await reached('receiver.test', ['127.0.0.1']), 'reached')
  })

  it('open nothing else', async () => {
    const notPublic = /is not publicly reachable/
    assert.match(await reached('[::1]', []), notPublic)
    assert.match(await reached('0', []), notPublic)
    assert.match(await reached('localhost', ['127.0.0.1', '::1']), notPublic)
    assert.match(await reached('receiver.test', ['127.0.0.1', '10.0.0.1']), notPublic)
    assert.match(await reached('receiver.internal', ['8.8.8.8']), notPublic)
    assert.match(await reached('metadata.google.internal', ['127.0.0.1']), notPublic)
    assert.match(await reached('receiver.test', ['127.0.0.1', '8.8.8.8']), /^port \d+ is not acc/)
    assert.match(await reached('receiver.test', ['8.8.8.8']), /^port \d+ is not accepted/)
    assert.match(await reached('receiver.test', []), notPublic)
  })
})

const notFound = 3

describe('createLookup', () => {
  let server: Socket
  let lookup: Lookup
  before(async () => {
    server = createSocket('udp4', (query, from) => {
      const answer = reply(query)
      if (answer !== undefined) server.send(answer, from.port, from.address)
    })
    server.bind(0, '127.0.0.1')
    await once(server, 'listening')
    lookup = createLookup({ servers: [`127.0.0.1:${server.address().port}`] })
  })
  after(() => server.close())

  it('gives the addresses of both families', async () => {
    assert.deepEqual(await lookup('both.example.com'), ['8.8.8.8', '2606:4700::1'])
  })

  it('gives the addresses of the one family that has some', async () => {
    assert.deepEqual(await lookup('ipv4.example.com'), ['8.8.8.8'])
    assert.deepEqual(await lookup('ipv6.example.com'), ['2606:4700::1'])
  })

  it('asks the system for a name that the name servers do not know, and judges what it says', async () => {
    const servers = [`127.0.0.1:${server.address().port}`]
    const system = async (name: string) => [name === 'none.storage.svc' ? '10.0.0.7' : '10.0.0.8']
    assert.deepEqual(await createLookup({ servers, system })('none.storage.svc'), ['10.0.0.7'])
    assert.deepEqual(await createLookup({ servers, system })('both.example.com'), [
      '8.8.8.8',
      '2606:4700::1',
    ])
  })

  it('rejects for a name without addresses', async () => {
    await assert.rejects(lookup('none.example.com'), { code: 'ENOTFOUND' })
  })

  it('asks the system, not the name servers, for private names', async () => {
    const addresses = await lookup('localhost')
    assert.ok(addresses.includes('127.0.0.1') || addresses.includes('::1'), addresses.join())
  })
})

// A minimal name server: the first label of the question decides the answer.
function reply(query: Buffer): Buffer | undefined {
  const nameEnd = query.indexOf(0, 12)
  const question = query.subarray(12, nameEnd + 5)
  const isIpv6 = query.readUInt16BE(nameEnd + 1) === 28
  const kind = query.subarray(13, 17).toString()
  const address = isIpv6
    ? Buffer.from('26064700000000000000000000000001', 'hex')
    : Buffer.from([8, 8, 8, 8])
  const has = kind === 'both' || kind === (isIpv6 ? 'ipv6' : 'ipv4')
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | (kind === 'none' ? notFound : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(has ? 1 : 0, 6)
  const record = Buffer.from([0xc0, 12, 0, isIpv6 ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, address.length])
  return Buffer.concat([header, question, ...(has ? [record, address] : [])])
}
