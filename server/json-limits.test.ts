import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeeperThan, isLargerThan } from './json-limits.ts'

describe('JSON from outside', () => {
  it('is called larger only where it has more bytes, and always where its texts alone have', () => {
    const values: unknown[] = [
      null,
      7,
      true,
      'abc',
      [],
      {},
      [null, 1, 'abc', [null]],
      { a: null, b: 'abc', c: { d: [1, 2, 3] } },
      Array(100).fill(null),
      { text: 'x'.repeat(100), list: Array(10).fill('y'.repeat(10)) },
    ]
    const lengthOfTexts = (value: unknown): number =>
      typeof value === 'string'
        ? value.length
        : Object.values(value ?? {}).reduce((sum, one) => sum + lengthOfTexts(one), 0)
    for (const value of values) {
      const text = JSON.stringify(value)
      assert.equal(isLargerThan(value, Buffer.byteLength(text)), false, text)
      assert.equal(isLargerThan(value, lengthOfTexts(value) - 1), true, text)
    }
    assert.equal(isLargerThan('abc', 3), false)
    assert.equal(isLargerThan({ key: [1, 2] }, 4), true, 'keys and items count as well')
  })

  it('is called deeper where a level more is nested, in lists and objects alike', () => {
    const nested = { a: [{ b: 1 }] }
    assert.deepEqual(
      [2, 3, 4].map((levels) => isDeeperThan(nested, levels)),
      [true, false, false],
    )
    assert.equal(isDeeperThan(null, 0), false)
  })
})
