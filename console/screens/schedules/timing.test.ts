import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Schedule } from '../../../sdk/generated.ts'
import { fromTiming, toTiming } from './timing.ts'

const shown = (fields: Partial<Schedule>) =>
  toTiming({
    cron: null,
    every_seconds: null,
    at: null,
    time_zone: 'Europe/Berlin',
    ...fields,
  } as Schedule)

it('gives back what it was given, in the words that it has for it', () => {
  for (const [cron, repeats] of [
    ['30 9 * * *', 'daily'],
    ['0 8 * * 1-5', 'workdays'],
    ['0 9 * * 1', 'weekly'],
    ['5 23 31 * *', 'monthly'],
    ['0 * * * *', 'hourly'],
    ['5 * * * *', 'cron'],
    ['*/15 2 * * *', 'cron'],
    ['0 9 1 * 1', 'cron'],
    ['0 9 * 3 1', 'cron'],
  ] as const) {
    const timing = shown({ cron })
    assert.equal(timing.repeats, repeats, cron)
    assert.deepEqual(fromTiming(timing), { cron, time_zone: 'Europe/Berlin' })
  }
  assert.equal(fromTiming(shown({ every_seconds: 5_400 }))?.every_seconds, 5_400)
  const at = '2030-06-01T09:00:00.000Z'
  assert.equal(fromTiming(shown({ at }))?.at, at)
  assert.equal(shown({ cron: '0 9 * * 7' }).weekday, '0')
})

it('sends nothing while a field is empty', () => {
  assert.equal(fromTiming({ ...shown({ cron: '0 9 * * 1' }), time: '' }), undefined)
  assert.equal(fromTiming({ ...shown({ every_seconds: 60 }), minutes: '' }), undefined)
  assert.equal(fromTiming({ ...shown({ cron: '*/15 2 * * *' }), cron: ' ' }), undefined)
})
