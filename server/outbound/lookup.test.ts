import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { createLookup, type Lookup } from './lookup.ts'

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

// A name server of few words: the first label says what to answer.
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
