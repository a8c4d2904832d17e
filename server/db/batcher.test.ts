import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Batcher } from './batcher.ts'
import { pluck } from '../../test/pluck.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

describe('a batcher', () => {
  it('flushes calls of one turn together and answers each its own', async () => {
    const flushed: number[][] = []
    const batcher = new Batcher<number, number>(async (items) => {
      flushed.push(items)
      return items.map((item) => item * 2)
    })
    assert.deepEqual(await Promise.all([1, 2, 3].map((n) => batcher.add(n))), [2, 4, 6])
    assert.deepEqual(flushed, [[1, 2, 3]])
  })

  it('gathers those who come while a flush is under way', async () => {
    const gate = Promise.withResolvers<void>()
    const flushed: number[][] = []
    const batcher = new Batcher<number, number>(async (items) => {
      flushed.push(items)
      if (flushed.length === 1) await gate.promise
      return items
    })
    const first = batcher.add(1)
    await Promise.resolve()
    const rest = [batcher.add(2), batcher.add(3)]
    await Promise.resolve()
    assert.deepEqual(flushed, [[1]])
    gate.resolve()
    await Promise.all([first, ...rest])
    assert.deepEqual(flushed, [[1], [2, 3]])
  })

  it('keeps its bounds of size and of flushes at once', async () => {
    let running = 0
    let peak = 0
    const sizes: number[] = []
    const batcher = new Batcher<number, number>(
      async (items) => {
        peak = Math.max(peak, ++running)
        sizes.push(items.length)
        await new Promise(setImmediate)
        running--
        return items
      },
      { maxItems: 3, maxFlushes: 2 },
    )
    await Promise.all(Array.from({ length: 10 }, (_, n) => batcher.add(n)))
    assert.equal(peak, 2)
    assert.deepEqual(
      sizes.toSorted((a, b) => a - b),
      [1, 3, 3, 3],
    )
  })

  it('leaves a gap between flushes where it may, but none before the first', async () => {
    const startedAt: number[] = []
    const batcher = new Batcher<number, number>(
      async (items) => {
        startedAt.push(performance.now())
        return items
      },
      { minGapMs: () => 30 },
    )
    const first = batcher.add(1)
    await Promise.resolve()
    assert.equal(startedAt.length, 1)
    await first
    await Promise.all([batcher.add(2), batcher.add(3)])
    assert.equal(startedAt.length, 2)
    assert.ok((startedAt[1] ?? 0) - (startedAt[0] ?? 0) >= 29)
  })

  it('lets one item fail alone, be it bad or one that waits too long', async () => {
    for (const code of ['22P05', '23503', 'XX000', 'ERR_STRING_TOO_LONG', '57014', '55P03']) {
      const batcher = new Batcher<number, number>(async (items) => {
        if (items.includes(2)) throw failure(code)
        return items
      })
      const results = await Promise.allSettled([1, 2, 3].map((n) => batcher.add(n)))
      assert.deepEqual(pluck(results, 'status'), ['fulfilled', 'rejected', 'fulfilled'], code)
    }
  })

  it('does not wait for one item after the other without end', async (test) => {
    let now = 0
    test.mock.method(performance, 'now', () => now)
    const flushed: number[][] = []
    const batcher = new Batcher<number, number>(
      async (items) => {
        flushed.push(items)
        now += 50
        throw failure('57014')
      },
      { maxWaitMs: 60 },
    )
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map((n) => batcher.add(n)))
    assert.ok(results.every(({ status }) => status === 'rejected'))
    assert.deepEqual(flushed, [[1, 2, 3, 4, 5], [1]])
  })

  it('refuses more than may wait, until there is room again', async () => {
    const gate = Promise.withResolvers<void>()
    const batcher = new Batcher<number, number>(
      async (items) => {
        await gate.promise
        return items
      },
      { maxWaiting: 2 },
    )
    const first = batcher.add(1)
    await Promise.resolve()
    const waiting = [batcher.add(2), batcher.add(3)]
    await assert.rejects(batcher.add(4), { code: 'too_busy', type: 'unavailable' })
    gate.resolve()
    assert.deepEqual(await Promise.all([first, ...waiting]), [1, 2, 3])
    assert.equal(await batcher.add(5), 5)
  })

  it('fails all together when the database is away, and tries a deadlock again', async () => {
    let calls = 0
    const away = new Batcher<number, number>(async () => {
      calls++
      throw failure('ECONNREFUSED')
    })
    const results = await Promise.allSettled([1, 2].map((n) => away.add(n)))
    assert.ok(results.every(({ status }) => status === 'rejected'))
    assert.equal(calls, 1)

    let tries = 0
    const deadlocked = new Batcher<number, number>(async (items) => {
      if (++tries < 3) throw failure('40P01')
      return items
    })
    assert.equal(await deadlocked.add(7), 7)
    assert.equal(tries, 3)
  })
})
