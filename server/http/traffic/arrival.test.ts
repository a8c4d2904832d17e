import assert from 'node:assert/strict'
import { it } from 'node:test'
import { arrivingBody } from './arrival.ts'

const read = (payload: AsyncIterable<Uint8Array>, maxBytes = 1_000, graceMs = 20) =>
  Array.fromAsync(arrivingBody(payload, 'upload file', { maxBytes, graceMs }))

it('a body that comes too slowly is refused, one that comes in time is not', async () => {
  async function* still(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{')
    await new Promise(() => {})
  }
  await assert.rejects(
    read(still()),
    /^DomainError: Cannot upload file: the body came with less than 16384 bytes a second$/,
  )
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{')
    yield Buffer.from('}')
  }
  assert.equal(Buffer.concat(await read(whole())).toString(), '{}')
})

it('a body is refused at the first byte too many', async () => {
  let parts = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    while (parts++ < 100) yield Buffer.alloc(10)
  }
  await assert.rejects(read(endless(), 25), /the body has more than 25 bytes/)
  assert.equal(parts, 3)
})
