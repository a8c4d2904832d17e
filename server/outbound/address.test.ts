import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isLoopback, isPublicAddress, isSecureUrl, parseAllowedNetworks } from './address.ts'

const publicAddresses = [
  '1.1.1.1',
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '169.253.255.255',
  '223.255.255.255',
  '::ffff:8.8.8.8',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
]

const otherAddresses = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.255',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:a9fe:a9fe',
  '::ffff:0:7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b::808:808',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::1',
  'fe80::1%eth0',
  '2606:4700:4700::1111%eth0',
  'fec0::1',
  'ff02::1',
  '',
  'localhost',
  '127.1',
  '010.0.0.1',
  '0x7f000001',
  '2130706433',
  '8.8.8.8 ',
]

describe('isPublicAddress', () => {
  for (const address of publicAddresses) {
    it(`takes ${address}`, () => assert.equal(isPublicAddress(address), true))
  }
  for (const address of otherAddresses) {
    it(`refuses ${JSON.stringify(address)}`, () => assert.equal(isPublicAddress(address), false))
  }
})

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

it('a URL is secure over TLS, or over HTTP on this machine alone', () => {
  const secure = [
    'https://example.com',
    'https://10.0.0.1',
    'http://localhost:3000/x',
    'http://127.0.0.1',
    'http://127.8.9.1:80',
    'http://[::1]:4000',
  ]
  const insecure = [
    'http://example.com',
    'http://10.0.0.1',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://[::2]',
    'ftp://localhost',
    'ws://127.0.0.1',
  ]
  for (const url of secure) assert.equal(isSecureUrl(new URL(url)), true, url)
  for (const url of insecure) assert.equal(isSecureUrl(new URL(url)), false, url)
  assert.deepEqual(['::1', '127.1', '128.0.0.1', ''].map(isLoopback), [true, false, false, false])
})
