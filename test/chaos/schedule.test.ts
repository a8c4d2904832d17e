import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultKinds, makeSchedule } from './schedule.ts'

describe('the schedule of faults', () => {
  it('is the same for the same seed, and another for another', () => {
    assert.deepEqual(makeSchedule(7, 10), makeSchedule(7, 10))
    assert.notDeepEqual(makeSchedule(7, 10), makeSchedule(8, 10))
  })

  it('has every kind within two minutes, in order of time', () => {
    for (let seed = 0; seed < 100; seed++) {
      const faults = makeSchedule(seed, 2)
      assert.deepEqual(new Set(faults.map(({ kind }) => kind)), new Set(faultKinds))
      const times = faults.map(({ atMs }) => atMs)
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      )
      assert.ok((times.at(-1) ?? 0) <= 120_000)
    }
  })
})
