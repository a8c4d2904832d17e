import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DomainError } from './errors.ts'
import { SecretBox } from './secret-box.ts'

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const box = new SecretBox([first])
const place = ['webhook', 'acc_1', 'whk_1'] as const
const plain = Buffer.from('whsec_secret')

it('what is sealed opens again, and differs each time', () => {
  const sealed = box.seal(plain, place)
  assert.deepEqual(box.open(sealed, place), plain)
  assert.ok(!sealed.includes(plain))
  assert.notDeepEqual(sealed, box.seal(plain, place))
})

it('another place or a changed byte does not open, and the error names the place', () => {
  const sealed = box.seal(plain, place)
  const elsewhere = [
    ['webhook', 'acc_2', 'whk_1'],
    ['webhook', 'acc_1 whk_1'],
    ['connector', 'acc_1', 'whk_1'],
  ] as const
  for (const other of elsewhere) {
    assert.throws(
      () => box.open(sealed, other),
      new RegExp(`^DomainError: Cannot open the secret of ${other.join(' ')}: `),
    )
  }
  for (const at of [0, 1, 5, 17, sealed.length - 1]) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    assert.throws(() => box.open(changed, place), { code: 'secret_unreadable' }, `byte ${at}`)
  }
  for (const length of [0, 1, 32]) {
    assert.throws(() => box.open(sealed.subarray(0, length), place), { code: 'secret_unreadable' })
  }
})

it('the first key seals, each opens, and a key that is not there is named', () => {
  const sealed = box.seal(plain, place)
  const both = new SecretBox([second, first])
  assert.deepEqual(both.open(sealed, place), plain)
  assert.deepEqual(new SecretBox([second]).open(both.seal(plain, place), place), plain)
  assert.throws(
    () => new SecretBox([second]).open(sealed, place),
    new RegExp(`sealed with the key ${box.keyId}, which is neither MUSTER_SECRET_KEY nor`),
  )
})

it('without a key it says which variable is missing', () => {
  assert.throws(
    () => new SecretBox([]).seal(plain, place),
    (error) => error instanceof DomainError && /MUSTER_SECRET_KEY/.test(error.message),
  )
})
