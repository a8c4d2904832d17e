import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAllowedNetworks } from './allowed-networks.ts'
import type { Lookup } from './lookup.ts'
import { createOutbound } from './outbound.ts'
import { resolvesPublicly } from './resolve-checked.ts'

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

  it('refuses a name that does not resolve or cannot be looked up, each in its words', async () => {
    const url = 'https://receiver.test/'
    assert.equal(await check(url, failing('ENOTFOUND')), 'host receiver.test does not resolve')
    assert.equal(await check(url, failing('ENODATA')), 'host receiver.test does not resolve')
    assert.equal(await check(url, async () => []), 'host receiver.test does not resolve')
    assert.equal(
      await check(url, failing('ESERVFAIL')),
      'host receiver.test could not be looked up (ESERVFAIL)',
    )
  })

  it('gives a silent name server up', async () => {
    const lookup: Lookup = () => Promise.withResolvers<never>().promise
    const url = new URL('https://receiver.test/')
    const verdict = await resolvesPublicly(url, { allowedNetworks, lookup, timeoutMs: 20 })
    const why = 'host receiver.test could not be looked up within 0.02 s'
    assert.deepEqual(verdict, { ok: false, why })
  })
})
