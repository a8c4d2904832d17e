import { sql } from 'kysely'
import type { Database } from './client.ts'

/**
 * Fails if the server cannot take writes: it is read-only or a standby, cannot commit, or has a
 * full disk. Leaves nothing behind. Inserting a row would not detect a full disk, because the row
 * may fit into an existing page; a sort that does not fit into memory is written to a file.
 */
export async function assertWritable(database: Database): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`select set_config('work_mem', '64kB', true),
                     set_config('statement_timeout', '2s', true)`.execute(transaction)
    // The deletion fails in a read-only transaction without reading a row. The transaction id makes
    // the commit a written one.
    await sql`
      with refused as (delete from muster_migrations where false)
      select pg_current_xact_id(), (select count(*) from generate_series(1, 20000))`.execute(
      transaction,
    )
  })
}
