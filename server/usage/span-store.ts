import { sql, type RawBuilder } from 'kysely'
import { atHome } from '../db/at-home.ts'
import type { Database } from '../db/client.ts'
import type { Home } from '../db/home.ts'
import { eachShard } from '../db/look-over.ts'
import { addToDurations, addToSums, counts, sums, type Grouping } from './counts.ts'

/**
 * Sums of 16 days, which `spanUsage` makes of the sums of days some time after these: a question about
 * 400 days then reads up to 25 spans of a value and 30 days at both ends. Each day is marked when its span has
 * it, so what is not summed up yet is read by day, and any number of days is summed up at a time.
 */
const spanDays = 16
const firstDay = sql`date '1970-01-01'`

/**
 * A day is summed up after this time, and when no delta is left of it or of one before. As deltas are of the
 * day of their statement, or of a step that was cancelled moments before, none comes after that, whatever
 * version of Muster folds them.
 */
const settledAfterDays = 7

const batch = 500

/** Where the sums of spans of a dimension are. */
export const spansOf = (grouping: Grouping): string => `${grouping} ${spanDays}`

const dayMs = 86_400_000

/** The first day of the span that a day is in. */
export function startOfSpan(day: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${day} - (${day} - ${firstDay}) % ${sql.lit(spanDays)}`
}

/** The whole spans in a range of days; an empty range where there is none. */
export function spansWithin({ from, to }: DayRange): DayRange {
  const spanMs = spanDays * dayMs
  const start = Math.ceil(Date.parse(from) / spanMs) * spanMs
  const end = Math.floor(Date.parse(to) / spanMs) * spanMs
  return start < end ? { from: toDay(start), to: toDay(end) } : { from, to: from }
}

export function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Days as 2026-11-01, the first included, the second not. */
export interface DayRange {
  from: string
  to: string
}

/** Adds days to their spans, the oldest of each account first. True when there may be more. */
export async function spanUsage(database: Database): Promise<boolean> {
  const isSettled = sql`
    not is_spanned and dimension <> 'day'
    and day < (now() at time zone 'UTC')::date - ${sql.lit(settledAfterDays)}`
  const places = sql`
    select old.place from accounts cross join lateral (
      select usage_days.ctid as place from usage_days
      where account_id = accounts.id and ${isSettled}
        and day < coalesce((select min(delta.day) from usage_deltas as delta
                            where delta.account_id = accounts.id), 'infinity')
      order by day limit ${sql.lit(batch)} for update skip locked) as old
    limit ${sql.lit(batch)}`
  const count = await eachShard(database, sql`usage_days where ${isSettled}`, (home) =>
    spanDaysAt(database, places, home),
  )
  return count > 0
}

async function spanDaysAt(
  database: Database,
  places: RawBuilder<unknown>,
  home: Home,
): Promise<number> {
  const query = sql<{ count: number }>`
    with taken as (
      update usage_days set is_spanned = true
      where ctid = any(array(${places})) and not is_spanned
      returning *
    ), placed as materialized (
      select *, dimension || ${sql.lit(` ${spanDays}`)} as spans,
             ${startOfSpan(sql`day`)} as start
      from taken
    ), summed as (
      insert into usage_days as sum (account_id, dimension, value, day, is_spanned, ${counts})
      select account_id, spans, value, start, true, ${sums} from placed
      group by 1, 2, 3, 4 order by 1, 2, 3, 4 ${addToSums}
    ), timed as (
      insert into usage_durations as timed (account_id, dimension, value, day, bucket, count)
      select account_id, spans, value, start, bucket, sum(count)
      from placed join usage_durations using (account_id, dimension, value, day)
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5 ${addToDurations}
    )
    select count(*)::int as count from taken`
  const rows = await atHome(database, home, query)
  return rows[0]?.count ?? 0
}
