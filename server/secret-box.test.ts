import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DomainError } from './errors.ts'
import { SecretBox } from './secret-box.ts'

const box = new SecretBox(Buffer.alloc(32, 1))
const plain = Buffer.from('whsec_secret')

it('what is sealed opens again, and differs each time', () => {
  const sealed = box.seal(plain, 'a')
  assert.deepEqual(box.open(sealed, 'a'), plain)
  assert.ok(!sealed.includes(plain))
  assert.notDeepEqual(sealed, box.seal(plain, 'a'))
})

it('another purpose, another key or a changed byte does not open', () => {
  const sealed = box.seal(plain, 'a')
  assert.throws(() => box.open(sealed, 'b'))
  assert.throws(() => new SecretBox(Buffer.alloc(32, 2)).open(sealed, 'a'))
  for (const place of [0, 12, sealed.length - 1]) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(place) ^ 1, place)
    assert.throws(() => box.open(changed, 'a'), `byte ${place}`)
  }
})

it('without a key it says which variable is missing', () => {
  assert.throws(
    () => new SecretBox(undefined).seal(plain, 'a'),
    (error) => error instanceof DomainError && /MUSTER_SECRET_KEY/.test(error.message),
  )
})
