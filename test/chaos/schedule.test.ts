import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultKinds, makeSolos, makeStorm } from './schedule.ts'

describe('the schedule of faults', () => {
  it('is the same for the same seed, and another for another', () => {
    assert.deepEqual(makeStorm(7, 10), makeStorm(7, 10))
    assert.notDeepEqual(makeStorm(7, 10), makeStorm(8, 10))
    assert.deepEqual(makeSolos(7, faultKinds, 20), makeSolos(7, faultKinds, 20))
  })

  it('has every kind within three minutes of the storm, in order of time', () => {
    for (let seed = 0; seed < 100; seed++) {
      const faults = makeStorm(seed, 3)
      assert.deepEqual(new Set(faults.map(({ kind }) => kind)), new Set(faultKinds))
      const times = faults.map(({ atMs }) => atMs)
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      )
      assert.ok((times.at(-1) ?? 0) <= 180_000)
    }
  })

  it('has each kind once by itself, and a lock on every table', () => {
    const solos = makeSolos(7, faultKinds, 20, 5)
    const locks = solos.filter(({ kind }) => kind === 'lock-table')
    const locked = new Set(locks.map(({ place }) => Math.floor(place * 20 + 1e-9)))
    assert.equal(locked.size, 20)
    assert.equal(solos.length, faultKinds.length + 19)
    assert.ok(solos.every(({ seconds }) => seconds === 5))
  })
})
