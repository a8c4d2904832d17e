import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { shareOut } from './spread-jobs.ts'

const turnsOf = (...args: Parameters<typeof shareOut>) =>
  shareOut(...args).map(({ accountId }) => accountId)

describe('turns of accounts', () => {
  it('go to those with the least in progress', () => {
    const shares = [
      { accountId: 'large', active: 2, ready: 1_000 },
      { accountId: 'small', active: 0, ready: 3 },
    ]
    assert.deepEqual(turnsOf(shares, 5, 10), ['small', 'small', 'large', 'small', 'large'])
  })

  it('are no more than an account may have, has ready, or are wanted', () => {
    assert.deepEqual(turnsOf([{ accountId: 'a', active: 3, ready: 9 }], 5, 4), ['a'])
    assert.deepEqual(turnsOf([{ accountId: 'a', active: 0, ready: 1 }], 5, 4), ['a'])
    assert.deepEqual(turnsOf([{ accountId: 'a', active: 0, ready: 9 }], 2, 4), ['a', 'a'])
    assert.deepEqual(turnsOf([{ accountId: 'a', active: 5, ready: 9 }], 5, 4), [])
  })
})
