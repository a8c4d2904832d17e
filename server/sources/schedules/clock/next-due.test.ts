import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nextDue, type Timing } from './next-due.ts'
import { evaluate, minutesOf, patternNumber } from './test-clock.ts'

function momentsOf(timing: Timing, from: string, to: string): string[] {
  const found: string[] = []
  let next = nextDue(timing, new Date(new Date(from).getTime() - 1))
  while (next !== undefined && next < new Date(to)) {
    found.push(next.toISOString().slice(5, 16))
    next = nextDue(timing, next)
  }
  return found
}
const inBerlin = (cron: string): Timing => ({ kind: 'cron', cron, timeZone: 'Europe/Berlin' })
/**
 * In Berlin, clocks go from 02:00 to 03:00 at 01:00 UTC on March 29, and from 03:00 to 02:00 at
 * 01:00 UTC on October 25.
 */
const spring = (cron: string) => momentsOf(inBerlin(cron), '2026-03-28T23:00Z', '2026-03-29T03:00Z')
const autumn = (cron: string) => momentsOf(inBerlin(cron), '2026-10-24T22:00Z', '2026-10-25T03:00Z')

describe('a fixed hour', () => {
  it('is due at the end of the gap where clocks leave it out, once for all its minutes', () => {
    assert.deepEqual(spring('30 2 * * *'), ['03-29T01:00'])
    assert.deepEqual(spring('*/15 2 * * *'), ['03-29T01:00'])
    assert.deepEqual(spring('0 2,3 * * *'), ['03-29T01:00'])
    assert.deepEqual(spring('30 2,3 * * *'), ['03-29T01:00', '03-29T01:30'])
  })

  it('is due in the first of two passes', () => {
    assert.deepEqual(autumn('30 2 * * *'), ['10-25T00:30'])
    assert.deepEqual(autumn('*/20 2 * * *'), ['10-25T00:00', '10-25T00:20', '10-25T00:40'])
    assert.deepEqual(autumn('0 1-3 * * *'), ['10-24T23:00', '10-25T00:00', '10-25T02:00'])
  })

  it('is due on a day that begins behind a gap at midnight', () => {
    const timing: Timing = { kind: 'cron', cron: '0 0 * * 0', timeZone: 'America/Santiago' }
    assert.deepEqual(momentsOf(timing, '2026-09-05T00:00Z', '2026-09-08T00:00Z'), ['09-06T04:00'])
  })
})

describe('every hour', () => {
  it('is due whenever a clock shows it', () => {
    const hours = ['00:00', '01:00', '02:00']
    assert.deepEqual(
      autumn('0 * * * *'),
      ['10-24T22:00', '10-24T23:00'].concat(hours.map((one) => `10-25T${one}`)),
    )
    assert.deepEqual(
      spring('0 * * * *'),
      ['03-28T23:00'].concat(hours.map((one) => `03-29T${one}`)),
    )
    assert.deepEqual(autumn('0 */2 * * *'), ['10-24T22:00', '10-25T00:00', '10-25T01:00'])
  })

  it('is due at most once a moment where the change is half an hour', () => {
    const timing: Timing = { kind: 'cron', cron: '0,30 1-3 * * *', timeZone: 'Australia/Lord_Howe' }
    const due = momentsOf(timing, '2026-10-03T12:00Z', '2026-10-03T18:00Z')
    assert.deepEqual(due, [...new Set(due)])
    assert.equal(due.length, 5)
  })
})

describe('intervals and single moments', () => {
  it('count from a fixed moment, whenever they are asked for', () => {
    const from = new Date('2026-01-01T00:00:30Z')
    const timing: Timing = { kind: 'every', seconds: 90, from }
    const at = (text: string) => nextDue(timing, new Date(text))?.toISOString()
    assert.equal(at('2025-01-01T00:00:00Z'), '2026-01-01T00:02:00.000Z')
    assert.equal(at('2026-01-01T00:00:30Z'), '2026-01-01T00:02:00.000Z')
    assert.equal(at('2026-01-01T00:02:00Z'), '2026-01-01T00:03:30.000Z')
    assert.equal(at('2026-01-01T00:03:29.999Z'), '2026-01-01T00:03:30.000Z')
  })

  it('are due once', () => {
    const at = new Date('2026-01-01T00:00:00Z')
    assert.equal(nextDue({ kind: 'at', at }, new Date(at.getTime() - 1)), at)
    assert.equal(nextDue({ kind: 'at', at }, at), undefined)
  })
})

it('agrees with an evaluation of every minute around changes of clocks', () => {
  const zones = ['Europe/London', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca']
  const weeks = [
    ['2026-02-13', '2026-02-18'],
    ['2026-03-06', '2026-03-10'],
    ['2026-03-20', '2026-04-07'],
    ['2026-10-02', '2026-10-06'],
    ['2026-10-23', '2026-11-03'],
  ] as const
  for (const zone of zones) {
    for (const [first, last] of weeks) {
      const minutes = minutesOf(zone, new Date(first), new Date(last))
      const [from, to] = [Date.parse(first) + 86_400_000, Date.parse(last) - 86_400_000]
      for (let number = 0; number < 60; number++) {
        const cron = patternNumber(number)
        const expected = evaluate(cron, minutes).filter((ms) => ms >= from && ms < to)
        const found: number[] = []
        const timing: Timing = { kind: 'cron', cron, timeZone: zone }
        let next = nextDue(timing, new Date(from - 1))
        while (next !== undefined && next.getTime() < to) {
          found.push(next.getTime())
          next = nextDue(timing, next)
        }
        assert.deepEqual(found, expected, `${cron} in ${zone} from ${first}`)
      }
    }
  }
})
