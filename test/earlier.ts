import { sql, type RawBuilder } from 'kysely'

/**
 * A time in a row, put back. Citus writes no sum of a column that could depend on the session's time zone, as that
 * of a time with one does.
 */
export function earlier(column: string, interval: string): RawBuilder<Date> {
  return sql`(${sql.ref(column)} at time zone 'UTC' - ${sql.lit(interval)}::interval) at time zone 'UTC'`
}
