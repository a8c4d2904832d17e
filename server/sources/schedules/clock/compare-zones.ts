import { sql } from 'kysely'
import type { Database } from '../../../db/client.ts'
import { spanAt } from './zone.ts'

/** Looked at for each zone: a moment of each half month for three years. */
const moments = 72
const maxZones = 200

/** A zone of schedules for which the process and the database know different rules. */
export interface ZoneDifference {
  zone: string
  /** From about when. */
  at: Date
  /** Offsets from UTC in minutes. */
  here: number
  there: number
}

/**
 * Schedules follow the time-zone data of the process. The database has data of its own, usually the system's; where both
 * differ, one of them is out of date.
 */
export async function compareZones(
  database: Database,
  offsetAt = (zone: string, ms: number): number => spanAt(zone, ms).offsetMs,
): Promise<ZoneDifference[]> {
  const { rows } = await sql<{ zone: string; at: Date; minutes: number }>`
    with used as materialized (
      select distinct time_zone as zone from schedules
      where status = 'active' and cron is not null order by 1 limit ${maxZones}::int
    ), known as materialized (
      select used.zone from used join pg_timezone_names on name = used.zone
    )
    select zone, at, (extract(epoch from (at at time zone zone) - (at at time zone 'UTC')) / 60)::int as minutes
    from known cross join generate_series(0, ${moments - 1}::int) as step (number)
    cross join lateral (select date_trunc('day', now()) + step.number * interval '15 days' as at) as moment
    order by zone, at`.execute(database)
  const found = new Map<string, ZoneDifference>()
  for (const { zone, at, minutes } of rows) {
    const here = offsetAt(zone, at.getTime()) / 60_000
    if (here !== minutes && !found.has(zone)) found.set(zone, { zone, at, here, there: minutes })
  }
  return [...found.values()]
}
