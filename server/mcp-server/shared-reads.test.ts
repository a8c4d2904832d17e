import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SharedReads } from './shared-reads.ts'

describe('shared reads', () => {
  it('give a caller nothing that was read before it asked, and read once for those that wait', async () => {
    const reads = new SharedReads<number>()
    const ends: (() => void)[] = []
    let count = 0
    const work = async (): Promise<number> => {
      const number = ++count
      await new Promise<void>((resolve) => ends.push(resolve))
      return number
    }
    const first = reads.read('a', work)
    const later = [reads.read('a', work), reads.read('a', work)]
    const other = reads.read('b', work)
    assert.equal(count, 2)
    ends.shift()?.()
    assert.equal(await first, 1)
    ends.shift()?.()
    assert.equal(await other, 2)
    while (ends.length === 0) await new Promise(setImmediate)
    ends.shift()?.()
    assert.deepEqual(await Promise.all(later), [3, 3])
    const last = reads.read('a', work)
    ends.shift()?.()
    assert.equal(await last, 4)
  })

  it('go on after one that failed', async () => {
    const reads = new SharedReads<string>()
    const failing = reads.read('a', () => Promise.reject(new Error('away')))
    const next = reads.read('a', async () => 'here')
    await assert.rejects(failing, /away/)
    assert.equal(await next, 'here')
    assert.equal(await reads.read('a', async () => 'again'), 'again')
  })
})
