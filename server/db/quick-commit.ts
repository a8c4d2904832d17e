import { sql, type RawBuilder } from 'kysely'
import type { Database } from './client.ts'
import { isSpread } from './spread-dialect.ts'

/**
 * For what may be lost with the last moments before the server crashes: nobody waits until the disk has it. Any
 * later commit that does wait has it written too, as the log is one. The statement has to read or return it.
 */
export const quickCommit = sql`set_config('synchronous_commit', 'off', true)`

/** Behind the columns that a statement returns; Citus returns nothing that is not a constant. */
export function returningQuickly(
  database: Database,
  columns: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return isSpread(database) ? sql`returning ${columns}` : sql`returning ${columns}, ${quickCommit}`
}
