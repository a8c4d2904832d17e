import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { maxMissed, nextOf, plan, type Rules } from './plan.ts'

const hourly: Rules = {
  id: 'sch_1',
  timing: { kind: 'cron', cron: '0 * * * *', timeZone: 'UTC' },
  endsAt: null,
  jitterSeconds: 0,
  catchUp: 'last',
  catchUpSeconds: 3_600,
}
const at = (text: string): Date => new Date(`2026-01-01T${text}Z`)
const hours = (dates: Date[]): number[] => dates.map((date) => date.getUTCHours())

function planned(changes: Partial<Rules>, first: string, now: string, doubtAt: Date | null = null) {
  const { starts, missed, next } = plan({ ...hourly, ...changes }, at(first), at(now), doubtAt)
  return {
    starts: hours(starts),
    missed: hours(missed.map(({ dueAt }) => dueAt)),
    next: next?.dueAt.getUTCHours(),
  }
}

describe('a plan', () => {
  it('starts what is on time, whatever the rule', () => {
    for (const catchUp of ['none', 'last', 'all'] as const) {
      const found = planned({ catchUp }, '09:00:00', '09:01:59')
      assert.deepEqual(found, { starts: [9], missed: [], next: 10 })
    }
  })

  it('catches up with nothing, the last or all, within the time for it', () => {
    const [first, now] = ['06:00:00', '09:30:00']
    assert.deepEqual(planned({ catchUp: 'none' }, first, now).missed, [6, 7, 8, 9])
    assert.deepEqual(planned({ catchUp: 'last' }, first, now), {
      starts: [9],
      missed: [6, 7, 8],
      next: 10,
    })
    const within = { catchUp: 'all', catchUpSeconds: 7_200 } as const
    assert.deepEqual(planned(within, first, now), { starts: [8, 9], missed: [6, 7], next: 10 })
    assert.deepEqual(planned({ catchUpSeconds: 600 }, first, now).missed, [6, 7, 8, 9])
  })

  it('is late, and too late to be caught up with, beyond its times, not at them', () => {
    const none = { catchUp: 'none' } as const
    assert.deepEqual(planned(none, '09:00:00', '09:02:00').starts, [9])
    assert.deepEqual(planned(none, '09:00:00', '09:02:01').starts, [])
    const all = { catchUp: 'all', catchUpSeconds: 3_600 } as const
    assert.deepEqual(planned(all, '08:00:00', '09:00:00').starts, [8, 9])
    assert.deepEqual(planned(all, '08:00:00', '09:00:01').starts, [9])
  })

  it('needs no catching up where the newest is on time', () => {
    assert.deepEqual(planned({}, '08:00:00', '09:00:01'), { starts: [9], missed: [8], next: 10 })
  })

  it('starts nothing that a restored database may have started before', () => {
    const found = planned({ catchUp: 'all' }, '08:00:00', '09:00:01', at('09:00:00'))
    assert.deepEqual(found, { starts: [], missed: [8, 9], next: 10 })
  })

  it('ends with the schedule', () => {
    const found = planned({ endsAt: at('09:59:00') }, '09:00:00', '09:00:01')
    assert.deepEqual(found, { starts: [9], missed: [], next: undefined })
    const once = { timing: { kind: 'at', at: at('09:00:00') } } as const
    assert.deepEqual(planned(once, '09:00:00', '09:00:01').next, undefined)
  })

  it('delays by a part of the jitter, by the same each time', () => {
    const rules = { ...hourly, jitterSeconds: 600 }
    const next = nextOf(rules, at('08:30:00'))
    assert.deepEqual(next, nextOf(rules, at('08:45:00')))
    assert.deepEqual(next?.dueAt, at('09:00:00'))
    const delayMs = (next?.startsAt.getTime() ?? 0) - at('09:00:00').getTime()
    assert.ok(delayMs > 0 && delayMs < 600_000)
    const early = new Date((next?.startsAt.getTime() ?? 0) - 1)
    assert.deepEqual(plan(rules, at('09:00:00'), early, null).starts, [])
  })

  it('lists what was missed in a long time without workers up to a bound, and says until when', () => {
    const minutely = {
      ...hourly,
      timing: { kind: 'cron', cron: '* * * * *', timeZone: 'UTC' },
    } as const
    const now = at('00:00:10')
    const { starts, missed, next } = plan(minutely, new Date('2025-01-01T00:00:00Z'), now, null)
    assert.deepEqual(starts.at(-1), at('00:00:00'))
    const summary = missed.filter(({ until }) => until !== null)
    assert.equal(summary.length, 1)
    assert.ok(missed.length <= maxMissed + 1 + 62)
    assert.deepEqual(next?.dueAt, at('00:01:00'))
  })
})
