import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeScale } from './scale.ts'

const hour = 3_600_000

describe('the scale of a timeline', () => {
  it('is even where nothing waits', () => {
    const { at, folds } = makeScale(0, 1_000, [])
    assert.deepEqual([at(0), at(250), at(1_000), folds], [0, 0.25, 1, []])
    assert.deepEqual([at(-5), at(2_000)], [0, 1])
  })

  it('folds a long wait, so that the work around it fills the line', () => {
    const { at, folds } = makeScale(0, hour + 10_000, [{ from: 5_000, to: hour + 5_000 }])
    assert.equal(folds.length, 1)
    assert.ok((folds[0]?.width ?? 1) < 0.15)
    assert.ok(at(5_000) > 0.4)
    assert.equal(at(hour + 10_000), 1)
  })

  it('has ticks at round times, none in a fold and none too near to another', () => {
    assert.deepEqual(
      makeScale(0, 1_000, []).ticks.map(({ ms }) => ms),
      [0, 200, 400, 600, 800],
    )
    const { ticks } = makeScale(0, hour + 10_000, [{ from: 5_000, to: hour + 5_000 }])
    assert.ok(ticks.length >= 2 && ticks.length <= 6, JSON.stringify(ticks))
    for (const [index, { ms, left }] of ticks.entries()) {
      assert.ok(ms <= 5_000 || ms >= hour + 5_000)
      assert.ok(index === 0 || left - (ticks[index - 1]?.left ?? 0) >= 0.12)
    }
    assert.deepEqual(makeScale(0, 0, []).ticks, [{ ms: 0, left: 0 }])
  })

  it('never runs backwards, whatever waits overlap', () => {
    const pauses = [
      { from: 0, to: hour },
      { from: hour / 2, to: 2 * hour },
      { from: 3 * hour, to: 3 * hour },
      { from: 4 * hour, to: 9 * hour },
    ]
    const { at } = makeScale(0, 5 * hour, pauses)
    let last = -1
    for (let time = 0; time <= 5 * hour; time += hour / 50) {
      assert.ok(at(time) >= last)
      last = at(time)
    }
    assert.equal(at(0), 0)
    assert.equal(Math.round(at(5 * hour) * 1e9), 1e9)
  })

  it('leaves short waits as long as they were', () => {
    assert.deepEqual(makeScale(0, 10_000, [{ from: 4_000, to: 6_000 }]).folds, [])
  })
})
