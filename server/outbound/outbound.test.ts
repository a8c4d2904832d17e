import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { parseAllowedNetworks } from './address.ts'
import { type Lookup, resolveInTime } from './guarded-connect.ts'
import { createOutbound } from './outbound.ts'
import { fails } from './test-call.ts'
import { startRawReceiver } from '../../rig/receiver.ts'

const allowedNetworks = parseAllowedNetworks('')

async function check(url: string, lookup: Lookup): Promise<string | undefined> {
  await using outbound = createOutbound({ allowedNetworks, lookup })
  return outbound.check(url)
}

function failing(code: string): Lookup {
  return async () => {
    throw Object.assign(new Error('lookup failed'), { code })
  }
}

describe('Outbound.check', () => {
  it('accepts a host whose addresses are all public', async () => {
    const lookup = async (): Promise<string[]> => ['8.8.8.8', '2606:4700::1111']
    assert.equal(await check('https://receiver.test/hook', lookup), undefined)
  })

  it('looks nothing up for an address or a URL that is refused as it is written', async () => {
    let lookups = 0
    const lookup = async (): Promise<string[]> => [`${++lookups}.8.8.8`]
    assert.equal(await check('https://8.8.8.8/', lookup), undefined)
    assert.match((await check('http://receiver.test/', lookup)) ?? '', /^scheme http/)
    assert.match((await check('https://localhost/', lookup)) ?? '', /not publicly reachable/)
    assert.equal(lookups, 0)
  })

  it('does not tell names that resolve inside from those that do not', async () => {
    const url = 'https://receiver.test/'
    const inside = await check(url, async () => ['10.0.0.1'])
    assert.match(inside ?? '', /^host receiver.test is not publicly reachable/)
    for (const code of ['ENOTFOUND', 'ENODATA', 'ESERVFAIL']) {
      assert.equal(await check(url, failing(code)), inside)
    }
    assert.equal(await check(url, async () => []), inside)
  })

  it("accepts http 'inside' for allowed networks only", async () => {
    const lookup = async (name: string): Promise<string[]> =>
      name === 'in.test' ? ['10.0.0.1'] : ['8.8.8.8']
    const networks = parseAllowedNetworks('10.0.0.0/8')
    await using outbound = createOutbound({ allowedNetworks: networks, lookup })
    const inside = (url: string) => outbound.check(url, { allowHttp: 'inside' })
    assert.equal(await inside('http://in.test:8080/'), undefined)
    assert.equal(await inside('https://out.test/'), undefined)
    assert.match((await inside('http://out.test/')) ?? '', /^scheme http is accepted only in/)
    assert.equal(await outbound.check('http://out.test/', { allowHttp: true }), undefined)
    assert.match((await outbound.check('http://in.test/')) ?? '', /^scheme http is not accepted/)
  })

  it('takes as long to refuse a name that stands for nothing as one of the inside', async () => {
    const inside = async (): Promise<string[]> => ['10.0.0.1']
    const refusalMs = 50
    const get = { method: 'GET', timeoutMs: 5_000, maxResponseBytes: 100 } as const
    for (const lookup of [inside, () => Promise.reject(new Error('ENOTFOUND')), async () => []]) {
      await using outbound = createOutbound({ allowedNetworks, lookup, refusalMs })
      for (const refusing of [
        () => outbound.check('https://receiver.test/'),
        () => outbound.request('https://receiver.test/', get).catch(String),
      ]) {
        const startedAt = performance.now()
        assert.match((await refusing()) as string, /receiver\.test is not publicly reachable/)
        // Timers may come a millisecond early.
        assert.ok(performance.now() - startedAt >= refusalMs - 2)
      }
    }
  })

  it('gives a silent name server up', async () => {
    const lookup: Lookup = () => Promise.withResolvers<never>().promise
    const url = new URL('https://receiver.test/')
    const resolved = resolveInTime(url, { allowedNetworks, lookup, timeoutMs: 20 })
    const message = /^host receiver\.test is not publicly reachable/
    await assert.rejects(resolved, { name: 'OutboundError', kind: 'dns', message })
  })
})

describe('Outbound.connect', () => {
  it('opens a socket to allowed hosts and ports only, checked in the connection', async () => {
    await using receiver = await startRawReceiver((socket) => socket.write('hello'))
    const lookup = async (): Promise<string[]> => ['127.0.0.1']
    const target = { hostname: 'MAIL.test', port: receiver.port, allowedPorts: [25] }
    await using guarded = createOutbound({ allowedNetworks, lookup })
    await assert.rejects(guarded.connect(target), fails('refused_address', /^port \d+ is not/))
    const open = { ...target, allowedPorts: [receiver.port] }
    await assert.rejects(guarded.connect(open), fails('refused_address', /not publicly reachable/))
    assert.equal(receiver.connections, 0)
    const networks = parseAllowedNetworks('127.0.0.0/8')
    await using outbound = createOutbound({ allowedNetworks: networks, lookup })
    const socket = await outbound.connect(target)
    const [greeting] = await once(socket, 'data')
    assert.equal(String(greeting), 'hello')
    socket.destroy()
    await assert.rejects(
      outbound.connect({ ...target, port: 1 }),
      fails('connect', /cannot connect/),
    )
  })
})
