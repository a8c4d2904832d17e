import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { daysUntil, fillDays, readView, sumOf } from './view.ts'

describe('what usage shows', () => {
  it('is read from the address, and what makes no sense is left out', () => {
    assert.deepEqual(readView({ days: '90', tag: 'customer' }), { days: 90, tag: 'customer' })
    assert.deepEqual(readView({ days: 30, tag: 'A B' }), {})
    assert.deepEqual(readView({ days: 31 }), {})
  })

  it('has each UTC day up to today, over the end of a month and with days without usage', () => {
    const days = daysUntil(Date.parse('2026-03-02T23:59:00Z'), 4)
    assert.deepEqual(days, ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'])
    const row = { ...sumOf([]), day: '2026-03-01', runs: 2, failed: 1, cost_usd: 0.5 }
    const filled = fillDays([row], days)
    assert.deepEqual(
      filled.map(({ day, runs }) => [day, runs]),
      days.map((day) => [day, day === '2026-03-01' ? 2 : 0]),
    )
    const { runs, failed, cost_usd } = sumOf([...filled, row])
    assert.deepEqual([runs, failed, cost_usd], [4, 2, 1])
  })
})
