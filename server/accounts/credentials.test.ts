import assert from 'node:assert/strict'
import { it } from 'node:test'
import { canBeKey, hashKey, isWellFormedKey, makeKey, prefixOf } from './credentials.ts'

it('keys have the form, a checksum and no two alike', () => {
  const keys = Array.from({ length: 1_000 }, makeKey)
  for (const key of keys) {
    assert.match(key, /^mst_[0-9A-Za-z]{46}$/)
    assert.ok(isWellFormedKey(key))
  }
  assert.equal(new Set(keys).size, keys.length)
})

it('a changed character breaks the checksum', () => {
  const key = makeKey()
  for (let i = 4; i < key.length; i++) {
    const other = key[i] === 'a' ? 'b' : 'a'
    assert.ok(!isWellFormedKey(key.slice(0, i) + other + key.slice(i + 1)), String(i))
  }
  assert.ok(!isWellFormedKey('mst_'))
})

it('a hash has 32 bytes and a prefix shows little', () => {
  const key = makeKey()
  assert.equal(hashKey(key).length, 32)
  assert.equal(prefixOf(key), key.slice(0, 10))
})

it('what cannot be a key is known without asking anybody', () => {
  const key = makeKey()
  const guess = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
  assert.ok(canBeKey(key))
  assert.ok(canBeKey('an-operators-own-key-of-32-chars'))
  for (const text of [guess, '', 'mst_', 'short', 'x'.repeat(201), `${key.slice(0, -1)}%`]) {
    assert.ok(!canBeKey(text), text)
  }
})
