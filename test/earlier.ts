import { sql, type RawBuilder } from 'kysely'

/**
 * A column's time moved back. Converted to a time without zone: Citus rejects arithmetic that could
 * depend on the session's time zone.
 */
export function earlier(column: string, interval: string): RawBuilder<Date> {
  return sql`(${sql.ref(column)} at time zone 'UTC' - ${sql.lit(interval)}::interval) at time zone 'UTC'`
}
