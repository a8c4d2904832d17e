import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAllowedNetworks } from './allowed-networks.ts'

describe('parseAllowedNetworks', () => {
  it('allows nothing without a value', () => {
    for (const text of [undefined, '', '  ']) {
      const networks = parseAllowedNetworks(text)
      assert.deepEqual(networks.cidrs, [])
      assert.equal(networks.includes('10.0.0.1'), false)
    }
  })

  it('includes the addresses of each network, in every form, and no other', () => {
    const networks = parseAllowedNetworks('10.0.0.0/8, 192.168.7.7/32,fd00::/8')
    assert.deepEqual(networks.cidrs, ['10.0.0.0/8', '192.168.7.7/32', 'fd00::/8'])
    for (const address of [
      '10.0.0.0',
      '10.255.255.255',
      '192.168.7.7',
      '::ffff:a00:1',
      'fdff::1',
    ]) {
      assert.equal(networks.includes(address), true, address)
    }
    for (const address of [
      '9.255.255.255',
      '11.0.0.0',
      '192.168.7.8',
      'fc00::1',
      'x',
      'fd00::1%e',
    ]) {
      assert.equal(networks.includes(address), false, address)
    }
  })

  it('includes no metadata address, however wide the network', () => {
    const networks = parseAllowedNetworks('0.0.0.0/0,::/0')
    assert.equal(networks.includes('127.0.0.1'), true)
    assert.equal(networks.includes('::1'), true)
    for (const address of [
      '169.254.169.254',
      '::ffff:a9fe:a9fe',
      '168.63.129.16',
      'fd00:ec2::254',
    ]) {
      assert.equal(networks.includes(address), false, address)
    }
  })

  const bad: [text: string, message: string][] = [
    ['10.0.0.0', '"10.0.0.0", expected networks with a prefix, comma-separated, such as'],
    ['10.0.0.0/33', '"10.0.0.0/33", expected networks with a prefix'],
    ['10.0.0.0/8,', '"", expected networks with a prefix'],
    ['10.0.0.0/8 fd00::/8', '"10.0.0.0/8 fd00::/8", expected networks with a prefix'],
    ['10.0.0.0/8/8', '"10.0.0.0/8/8", expected networks with a prefix'],
    ['10.0.0.0/-1', '"10.0.0.0/-1", expected networks with a prefix'],
    ['10.0.0.0/', '"10.0.0.0/", expected networks with a prefix'],
    ['010.0.0.0/8', '"010.0.0.0/8", expected networks with a prefix'],
    ['localhost/8', '"localhost/8", expected networks with a prefix'],
    ['fd00::/129', '"fd00::/129", expected networks with a prefix'],
    ['fe80::%eth0/64', '"fe80::%eth0/64", expected networks with a prefix'],
    ['::ffff:10.0.0.0/104', '"::ffff:10.0.0.0/104", expected an IPv4 network'],
    ['10.1.2.3/8', '"10.1.2.3/8", expected 10.0.0.0/8 for that network or 10.1.2.3/32 for'],
    ['fd00::1/8', '"fd00::1/8", expected fd00::/8 for that network or fd00::1/128 for'],
    ['1.1.1.1/32,'.repeat(101), 'a list of 102, expected up to 100 networks'],
  ]
  for (const [text, message] of bad) {
    it(`refuses ${text.slice(0, 40)}`, () => {
      assert.throws(
        () => parseAllowedNetworks(text),
        (error) =>
          error instanceof Error &&
          error.message.startsWith(`Cannot start: MUSTER_ALLOWED_NETWORKS is ${message}`),
      )
    })
  }
})
