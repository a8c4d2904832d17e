import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { InFlight, loop } from './loop.ts'

/**
 * Node counts a timer from the start of the current round of events, so it may fire a little early.
 */
const earlyMs = 15

const onError = (error: unknown) => assert.fail(String(error))

/** Counts ticks, and resolves when there have been `n`. */
function counter(): { count: () => number; reached: (n: number) => Promise<void> } {
  let number = 0
  const waiting: { n: number; resolve: () => void }[] = []
  return {
    count() {
      number++
      for (const { n, resolve } of waiting) if (number >= n) resolve()
      return number
    },
    reached: (n) =>
      number >= n ? Promise.resolve() : new Promise((resolve) => waiting.push({ n, resolve })),
  }
}

describe('a loop', () => {
  it('goes on at once while there is more, then after its pause', async () => {
    const enough = Promise.withResolvers<void>()
    const answers = [true, true, false, false]
    const at: number[] = []
    await using _loop = loop({
      everyMs: 300,
      tick: async () => {
        at.push(performance.now())
        if (at.length === answers.length) enough.resolve()
        return answers[at.length - 1] ?? false
      },
      onError,
    })
    await enough.promise
    const [first = 0, , third = 0, fourth = 0] = at
    assert.ok(third - first < 250)
    assert.ok(fourth - third >= 300 - earlyMs)
  })

  it('is woken from its pause, and from the one after a tick under way', async () => {
    const ticks = counter()
    const gate = Promise.withResolvers<void>()
    await using endless = loop({
      everyMs: Infinity,
      tick: async () => {
        if (ticks.count() === 1) await gate.promise
      },
      onError,
    })
    endless.wake()
    await ticks.reached(1)
    endless.wake()
    endless.wake()
    gate.resolve()
    await ticks.reached(2)
    endless.wake()
    await ticks.reached(3)
    await endless.drain()
    assert.equal(ticks.count(), 4)
  })

  it('begins at once where that is asked for', async () => {
    const ticks = counter()
    await using _loop = loop({
      everyMs: Infinity,
      startsAtOnce: true,
      tick: async () => void ticks.count(),
      onError,
    })
    await ticks.reached(1)
  })

  it('leaves a gap between ticks however often it is woken', async () => {
    const ticks = counter()
    const at: number[] = []
    const beganAt = performance.now()
    await using busy = loop({
      everyMs: Infinity,
      minGapMs: 30,
      startsAtOnce: true,
      tick: async () => {
        at.push(performance.now())
        ticks.count()
        busy.wake()
      },
      onError,
    })
    await ticks.reached(3)
    // A pause runs from start to start, and a tick records its time a little after its start.
    assert.ok((at[2] ?? 0) - beganAt >= 2 * (30 - earlyMs))
  })

  it('reports what fails and takes its whole pause before it goes on', async () => {
    const ticks = counter()
    const errors: unknown[] = []
    const at: number[] = []
    await using failing = loop({
      everyMs: 120,
      startsAtOnce: true,
      tick: async () => {
        at.push(performance.now())
        failing.wake()
        if (ticks.count() === 1) throw new Error('broken')
      },
      onError: (error) => errors.push(error),
    })
    await ticks.reached(2)
    assert.deepEqual(errors.map(String), ['Error: broken'])
    assert.ok((at[1] ?? 0) - (at[0] ?? 0) >= 120 - earlyMs)
  })

  it('waits for the tick under way when it drains, and begins no other', async () => {
    const ticks = counter()
    const gate = Promise.withResolvers<void>()
    let ended = 0
    const draining = loop({
      everyMs: 1,
      tick: async (signal) => {
        ticks.count()
        await gate.promise
        assert.equal(signal.aborted, false)
        ended++
        return true
      },
      onError,
    })
    await ticks.reached(1)
    const drained = draining.drain()
    assert.equal(ended, 0)
    gate.resolve()
    await drained
    assert.equal(ended, 1)
  })

  it('tells the tick under way when it stops', async () => {
    const ticks = counter()
    const stopped = loop({
      everyMs: 1,
      tick: async (signal) => {
        ticks.count()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
      onError,
    })
    await ticks.reached(1)
    await stopped.stop()
    assert.equal(ticks.count(), 2)
  })

  it('stops in its pause, however long', async () => {
    await loop({ everyMs: Infinity, tick: async () => assert.fail('ticked'), onError }).stop()
  })
})

describe('InFlight', () => {
  it('counts pieces until they end, tells of each end, and waits for the rest', async () => {
    let ends = 0
    const inFlight = new InFlight<string>(2, () => {
      ends += 1
    })
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    inFlight.add('first', first.promise)
    inFlight.add('second', second.promise)
    assert.deepEqual([inFlight.free, inFlight.subjects], [0, ['first', 'second']])
    first.resolve()
    let isDrained = false
    const drained = inFlight.drain().then(() => (isDrained = true))
    await new Promise(setImmediate)
    assert.deepEqual([isDrained, inFlight.subjects], [false, ['second']])
    second.resolve()
    await drained
    assert.deepEqual([inFlight.free, inFlight.subjects, ends], [2, [], 2])
  })
})
