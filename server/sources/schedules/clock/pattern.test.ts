import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expandPattern, findOutOfRange } from './pattern.ts'

it('names a value that is out of its range as it is written', () => {
  for (const [cron, expected] of [
    ['60 * * * *', 'Invalid value for minute: 60, expected 0 to 59'],
    ['0 25 * * *', 'Invalid value for hour: 25, expected 0 to 23'],
    ['0 9 32 * *', 'Invalid value for day: 32, expected 1 to 31'],
    ['0 9 0 * *', 'Invalid value for day: 0, expected 1 to 31'],
    ['0 9 1,40W * *', 'Invalid value for day: 40, expected 1 to 31'],
    ['0 9 * 1-13 *', 'Invalid value for month: 13, expected 1 to 12'],
    ['0 9 * * 8', 'Invalid value for weekday: 8, expected 0 to 7'],
    ['0 9 1-31/40 * *', undefined],
    ['*/90 * * * *', undefined],
    ['0 9 31,LW 12,JAN 0-7', undefined],
    ['0 9 * * 7#5,MON#9', undefined],
  ] as const) {
    assert.equal(findOutOfRange(expandPattern(cron)), expected, cron)
  }
})
