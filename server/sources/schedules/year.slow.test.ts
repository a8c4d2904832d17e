import assert from 'node:assert/strict'
import { it } from 'node:test'
import { evaluate, minutesOf, patternNumber, randomOf } from './clock/test-clock.ts'
import { nextOf, plan, type Rules } from './plan.ts'

/**
 * Plans a year of schedules in every IANA zone with an injected clock, as workers do, and compares
 * it with an evaluation of each minute: each due time once, none missing, none twice. Every second
 * schedule has outages, after which the started and the missed ones together are the due ones.
 */
const from = Date.UTC(2026, 0, 1)
const to = Date.UTC(2027, 0, 1)
const patterns = 200
const dayMs = 86_400_000

it('fires each moment of a year once, in all zones', () => {
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')]
  assert.ok(zones.length > 400)
  let moments = 0
  for (const [place, zone] of zones.entries()) {
    const minutes = minutesOf(zone, new Date(from - 2 * dayMs), new Date(to + 2 * dayMs))
    const number = place % patterns
    const cron = patternNumber(number)
    const expected = evaluate(cron, minutes).filter((ms) => ms >= from && ms < to)
    const hasOutages = number % 2 === 1
    const { started, missed } = live(cron, zone, number, hasOutages)
    const all = [...started, ...missed].sort((a, b) => a - b)
    assert.deepEqual(all, expected, `${cron} in ${zone}`)
    if (!hasOutages) assert.deepEqual(missed, [], `${cron} in ${zone}`)
    moments += expected.length
  }
  assert.ok(moments > 100_000, `${moments}`)
})

/** Plans through the year: usually soon after each due time, sometimes days later. */
function live(
  cron: string,
  timeZone: string,
  seed: number,
  hasOutages: boolean,
): { started: number[]; missed: number[] } {
  const random = randomOf(seed)
  const rules: Rules = {
    id: `sch_${seed}`,
    timing: { kind: 'cron', cron, timeZone },
    endsAt: new Date(to - 1),
    jitterSeconds: seed % 3 === 0 ? 300 : 0,
    catchUp: (['none', 'last', 'all'] as const)[seed % 3] ?? 'last',
    catchUpSeconds: 3_600,
  }
  const [started, missed]: number[][] = [[], []]
  let next = nextOf(rules, new Date(from - 1))
  while (next !== undefined) {
    const isOut = hasOutages && random() < 0.02
    const lateMs = Math.floor(random() * (isOut ? dayMs : 60_000))
    const now = new Date(next.startsAt.getTime() + lateMs)
    const planned = plan(rules, next.dueAt, now, null)
    started?.push(...planned.starts.map(Number))
    for (const one of planned.missed) {
      assert.equal(one.until, null)
      missed?.push(Number(one.dueAt))
    }
    if (!isOut) assert.equal(planned.missed.length, 0, `${cron} in ${timeZone}`)
    next = planned.next
  }
  return { started: started ?? [], missed: missed ?? [] }
}
