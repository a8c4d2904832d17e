import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { makeCertificate } from '../../rig/certificate.ts'
import { startProxy, type TestProxy } from '../../rig/proxy.ts'
import {
  startRawReceiver,
  startReceiver,
  startTlsReceiver,
  type Receiver,
} from '../../rig/receiver.ts'
import { createTransport, TransportError } from '../models/transport.ts'
import { OidcClient } from '../people/oidc/client.ts'
import { SecretBox } from '../secret-box.ts'
import { parseAllowedNetworks } from './address.ts'
import type { EgressProxy } from './egress-proxy.ts'
import { createOutbound } from './outbound.ts'
import type { TransportOptions } from './guarded-transport.ts'
import { call, fails, short } from './test-call.ts'
import { pluck } from '../../test/pluck.ts'

const authorization = 'Basic c2VjcmV0'

function setting({ port }: { port: number }): EgressProxy {
  return { hostname: '127.0.0.1', port, authorization }
}

/** A transport that resolves every name to public addresses and may reach the receiver's port. */
function openPublic(proxy: TestProxy, receiver: Receiver, options: Partial<TransportOptions> = {}) {
  return createOutbound({
    allowedNetworks: parseAllowedNetworks(''),
    allowedPorts: [receiver.port],
    lookup: async () => ['2606:4700::1111', '8.8.8.8'],
    proxy: setting(proxy),
    ...options,
  })
}

describe('guarded calls through a proxy', () => {
  it('go to the checked address over http, on connections that are used again', async () => {
    await using proxy = await startProxy()
    await using receiver = await startReceiver(({ headers }, response) =>
      response.end(headers.host),
    )
    await using outbound = openPublic(proxy, receiver, { connections: 1 })
    for (let i = 0; i < 3; i++) {
      const { body } = await call(outbound, receiver)
      assert.equal(body.toString(), `receiver.test:${receiver.port}`)
    }
    assert.deepEqual(proxy.asked, [{ authority: `8.8.8.8:${receiver.port}`, authorization }])
  })

  it('go to the checked address over https, with the name in TLS and its certificate checked', async () => {
    const certificate = makeCertificate('receiver.test')
    const names: unknown[] = []
    await using proxy = await startProxy()
    await using receiver = await startTlsReceiver(certificate, ({ socket }, response) => {
      names.push((socket as { servername?: unknown }).servername)
      response.end('reached')
    })
    await using trusting = openPublic(proxy, receiver, { ca: certificate.cert })
    const { body } = await call(trusting, receiver, { scheme: 'https' })
    assert.equal(body.toString(), 'reached')
    assert.deepEqual(names, ['receiver.test'])
    assert.equal(proxy.asked[0]?.authority, `8.8.8.8:${receiver.port}`)
    const other = { ca: makeCertificate('receiver.test').cert }
    await using wary = openPublic(proxy, receiver, other)
    await assert.rejects(
      call(wary, receiver, { scheme: 'https' }),
      fails('tls', /^no trusted TLS connection to receiver.test/),
    )
    await receiver.until(() => receiver.open === 1)
  })

  it('never reach the proxy when an address is private, or the name turns bad', async () => {
    await using proxy = await startProxy()
    await using receiver = await startReceiver((_, response) => response.end('reached'))
    const answers = [['8.8.8.8'], ['10.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['169.254.169.254']]
    const lookup = async () => answers.shift() ?? []
    await using outbound = openPublic(proxy, receiver, { lookup })
    assert.equal(await outbound.check(`https://receiver.test:${receiver.port}/`), undefined)
    const refused = fails('refused_address', /^host \S+ is not publicly reachable/)
    for (let i = 0; i < 3; i++) await assert.rejects(call(outbound, receiver), refused)
    const literal = {
      method: 'GET',
      timeoutMs: 5000,
      maxResponseBytes: 9,
      allowHttp: true,
    } as const
    for (const host of ['127.0.0.1', '10.0.0.1', '[::1]']) {
      const url = `http://${host}:${receiver.port}/`
      await assert.rejects(outbound.request(url, literal), refused)
    }
    assert.deepEqual([proxy.asked, answers, receiver.connections], [[], [], 0])
  })

  it('go directly to allowed networks, as sockets of other protocols do', async () => {
    await using proxy = await startProxy()
    await using receiver = await startReceiver((_, response) => response.end('reached'))
    await using mail = await startRawReceiver((socket) => socket.write('220 hello'))
    const allowedNetworks = parseAllowedNetworks('127.0.0.0/8')
    const lookup = async () => ['127.0.0.1']
    await using outbound = openPublic(proxy, receiver, { allowedNetworks, lookup })
    assert.equal((await call(outbound, receiver)).body.toString(), 'reached')
    const target = { hostname: 'mail.test', port: mail.port, allowedPorts: [25] }
    const socket = await outbound.connect(target)
    await once(socket, 'data')
    socket.destroy()
    assert.deepEqual(proxy.asked, [])
  })

  it('try the next address that was checked when the proxy reaches none there', async () => {
    await using proxy = await startProxy()
    await using receiver = await startReceiver((_, response) => response.end('reached'))
    await using outbound = openPublic(proxy, receiver)
    proxy.refusals.push(502)
    assert.equal((await call(outbound, receiver)).body.toString(), 'reached')
    assert.deepEqual(pluck(proxy.asked, 'authority'), [
      `8.8.8.8:${receiver.port}`,
      `[2606:4700::1111]:${receiver.port}`,
    ])
  })

  it('say what is wrong with the proxy, and were never sent', async () => {
    await using proxy = await startProxy()
    await using receiver = await startReceiver((_, response) => response.end('reached'))
    await using silent = await startRawReceiver(() => undefined)
    await using odd = await startRawReceiver((socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'))
    const one = { lookup: async () => ['8.8.8.8'], connectTimeoutMs: 5000 }
    await using outbound = openPublic(proxy, receiver, one)
    proxy.refusals.push(403, 407)
    const refused = fails('connect', /^the egress proxy refused the connection \(403\)$/)
    await assert.rejects(call(outbound, receiver), refused)
    const denied = fails('connect', /^the egress proxy does not accept the credentials \(407\)$/)
    await assert.rejects(call(outbound, receiver), denied)
    await proxy.stop()
    const down = fails('connect', /^the egress proxy cannot be reached \(ECONNREFUSED\)$/)
    await assert.rejects(call(outbound, receiver), down)
    await using late = openPublic(proxy, receiver, {
      ...one,
      proxy: setting(silent),
      connectTimeoutMs: short,
    })
    const timedOut = fails('connect', /^the egress proxy did not open the connection in time$/)
    await assert.rejects(call(late, receiver), timedOut)
    await silent.until(() => silent.open === 0)
    await using garbled = openPublic(proxy, receiver, { ...one, proxy: setting(odd) })
    const unreadable = fails('connect', /^the egress proxy cannot be reached \(HPE_/)
    await assert.rejects(call(garbled, receiver), unreadable)
    assert.equal(receiver.connections, 0)
  })
})

describe('calls to hosts of the operator through a proxy', () => {
  it('go by name for models, and directly to private names and addresses', async () => {
    await using proxy = await startProxy()
    await using receiver = await startReceiver((_, response) => response.end('reached'))
    await using models = createTransport({ maxConcurrency: 1, proxy: setting(proxy) })
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const answer = await models.fetch(`http://${host}:${receiver.port}/`)
      assert.equal(await answer.text(), 'reached')
    }
    assert.deepEqual(proxy.asked, [])
    const url = `http://api.model.test:${receiver.port}/`
    assert.equal(await (await models.fetch(url)).text(), 'reached')
    const authority = `api.model.test:${receiver.port}`
    assert.deepEqual(proxy.asked, [{ authority, authorization }])
    await proxy.stop()
    await assert.rejects(models.fetch(url.replace('api', 'other')), (error) => {
      assert.ok(error instanceof TransportError)
      assert.deepEqual([error.kind, error.wasSent], ['unavailable', false])
      assert.match(error.message, /the egress proxy cannot be reached \(ECONNREFUSED\)/)
      return true
    })
  })

  it('go by name for sign-in', async () => {
    await using proxy = await startProxy()
    await using receiver = await startReceiver(({ headers }, response) => {
      const issuer = `http://${headers.host}`
      const found = { issuer, authorization_endpoint: `${issuer}/auth` }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(found))
    })
    const issuer = new URL(`http://idp.test:${receiver.port}`)
    const settings = { issuer, clientId: 'muster', clientSecret: 'secret', allowedDomains: [] }
    const oidc = new OidcClient(
      { ...settings, clientAuth: undefined, assumesVerifiedEmail: false, defaultRole: undefined },
      () => 'http://localhost',
      new SecretBox([Buffer.alloc(32)]),
      setting(proxy),
    )
    const { url } = await oidc.begin('/')
    assert.match(url, /^http:\/\/idp\.test:\d+\/auth\?/)
    assert.deepEqual(proxy.asked, [{ authority: `idp.test:${receiver.port}`, authorization }])
  })
})
