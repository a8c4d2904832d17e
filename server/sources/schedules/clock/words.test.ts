import assert from 'node:assert/strict'
import { it } from 'node:test'
import { nextDue, patternOf } from './next-due.ts'
import { expandPattern } from './pattern.ts'
import { patternNumber } from './test-clock.ts'
import { inWords } from './words.ts'

const words = (cron: string): string =>
  inWords({ kind: 'cron', cron, timeZone: 'UTC' }).replace(/ \(UTC\)$/, '')

it('says a pattern in words', () => {
  for (const [cron, expected] of [
    ['0 9 * * 1', 'Every Monday at 09:00'],
    ['0 9 * * *', 'Every day at 09:00'],
    ['30 8,17 * * MON-FRI', 'Every Monday to Friday at 08:30 and 17:30'],
    ['0 9 * * sun,3', 'Every Sunday and Wednesday at 09:00'],
    ['0 9 * * 7', 'Every Sunday at 09:00'],
    ['0 9 * * FRI#L', 'At 09:00 on the last Friday of the month'],
    ['0 9 * * 5#L', 'At 09:00 on the last Friday of the month'],
    ['0 9 * * 5l', 'At 09:00 on the last Friday of the month'],
    ['0 9 * * MON#2', 'At 09:00 on the second Monday of the month'],
    [
      '0 9 * * 1#1,5#L,3',
      'At 09:00 on the first Monday and the last Friday of the month or on Wednesday',
    ],
    [
      '0 9 15W,20W * *',
      'At 09:00 on the weekday nearest day 15 and the weekday nearest day 20 of the month',
    ],
    ['0 9 L,15W * *', 'At 09:00 on the last day and the weekday nearest day 15 of the month'],
    ['0 9 lw 3,jun *', 'At 09:00 on the last weekday of the month in March and June'],
    ['0 9 1 * 1', 'At 09:00 on day 1 of the month or on Monday'],
    ['0 9 1-5 JUL-SEP *', 'At 09:00 on days 1 to 5 of the month in July to September'],
    ['0 9 */2 * *', 'At 09:00 on every 2nd day of the month'],
    ['0 9 * 7 *', 'Every day at 09:00 in July'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['5/15 * * * *', 'At every 15th minute from 5 to 59 of every hour'],
    ['*/10 9-17 * * 1-5', 'Every 10 minutes of hours 9 to 17 on Monday to Friday'],
    ['* * * * *', 'Every minute'],
    ['0 * * * *', 'Every hour'],
    ['20 * * * *', 'Every hour at minute 20'],
    ['0 0/2 * * *', 'Every 2 hours'],
    ['5,35 * * * *', 'At minutes 5 and 35 of every hour'],
    ['@hourly', 'Every hour'],
    ['@daily', 'Every day at 00:00'],
    ['@Weekly', 'Every Sunday at 00:00'],
    ['@monthly', 'At 00:00 on day 1 of the month'],
    ['@yearly', 'At 00:00 on day 1 of the month in January'],
    ['0 9 ? * 1', 'Every Monday at 09:00'],
    ['0 9 1 * ?', 'At 09:00 on day 1 of the month'],
  ] as const) {
    assert.equal(words(cron), expected, cron)
    assert.ok(nextDue({ kind: 'cron', cron, timeZone: 'UTC' }, new Date()) !== undefined, cron)
  }
})

it('says every pattern that is taken in words without a gap', () => {
  for (let number = 0; number < 1_000; number++) {
    const cron = patternNumber(number)
    assert.doesNotMatch(words(cron), /undefined|NaN|[*/#]| {2}/, cron)
  }
})

it('writes out abbreviations, and leaves what is none', () => {
  const next = (cron: string, after: string) =>
    nextDue({ kind: 'cron', cron, timeZone: 'UTC' }, new Date(after))?.toISOString()
  assert.equal(expandPattern('5/15 0/2 ? * 1'), '5-59/15 */2 * * 1')
  assert.equal(next('5/15 * * * *', '2026-11-27T00:20:00Z'), '2026-11-27T00:35:00.000Z')
  assert.equal(next('5/15 * * * *', '2026-11-27T00:50:00Z'), '2026-11-27T01:05:00.000Z')
  assert.equal(next('@daily', '2026-11-27T00:20:00Z'), '2026-11-28T00:00:00.000Z')
  assert.equal(next('0 9 ? * 5l', '2026-11-27T10:00:00Z'), '2026-12-25T09:00:00.000Z')
  for (const bad of ['@never', '0 9 ? ? * *', '99/5 * * * *']) {
    assert.throws(() => patternOf(expandPattern(bad)), bad)
  }
})
