import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { createTestDatabase } from '../db/test-database.ts'
import { windowOf } from './store.ts'

const units = ['day', 'week', 'month'] as const
/**
 * Zones with dates shortly before a clock change, some at midnight, by half an hour or across the
 * date line.
 */
const places: [zone: string, days: string[]][] = [
  ['UTC', ['2026-02-27', '2026-12-30']],
  ['Europe/Berlin', ['2026-03-27', '2026-10-23', '2026-12-30']],
  ['America/New_York', ['2026-03-06', '2026-10-30']],
  ['Pacific/Auckland', ['2026-04-03', '2026-09-25']],
  ['Australia/Lord_Howe', ['2026-04-03', '2026-10-02']],
  ['Africa/Cairo', ['2026-04-23', '2026-10-28']],
  ['Asia/Kathmandu', ['2026-02-27']],
]

it('windows begin at midnight of their zone, however long the day is', async () => {
  await using server = await createTestDatabase()
  const database = server.open(1)
  await using _ = { [Symbol.asyncDispose]: () => database.destroy() }
  const cases = places.flatMap(([zone, days]) =>
    days.flatMap((day) => {
      const first = Temporal.Instant.from(`${day}T00:00:00Z`)
      return Array.from({ length: 5 * 48 }, (_, n) => first.add({ minutes: 30 * n + 7 })).flatMap(
        (at) => units.map((unit) => ({ unit, time_zone: zone, at: at.toString() })),
      )
    }),
  )
  const { startsAt, endsAt } = windowOf(sql`at`)
  const { rows } = await sql<{ starts: Date; ends: Date }>`
    select ${startsAt} as starts, ${endsAt} as ends
    from json_to_recordset(${JSON.stringify(cases)}::json) as budget (unit text, time_zone text, at timestamptz)
    `.execute(database)
  const wrong = cases.flatMap((one, place) => {
    const { starts, ends } = rows[place] ?? {}
    const seen = [starts, ends].map((time) => time?.toISOString())
    const expected = expectedOf(one)
    return String(seen) === String(expected) ? [] : [{ ...one, seen, expected }]
  })
  assert.deepEqual(wrong.slice(0, 3), [], `${wrong.length} of ${cases.length}`)
})

function expectedOf({
  unit,
  time_zone,
  at,
}: Record<'unit' | 'time_zone' | 'at', string>): string[] {
  const day = Temporal.Instant.from(at).toZonedDateTimeISO(time_zone).toPlainDate()
  const first =
    unit === 'day'
      ? day
      : unit === 'week'
        ? day.subtract({ days: day.dayOfWeek - 1 })
        : day.with({ day: 1 })
  return [first, first.add({ [`${unit}s`]: 1 })].map((date) =>
    new Date(date.toZonedDateTime(time_zone).epochMilliseconds).toISOString(),
  )
}
