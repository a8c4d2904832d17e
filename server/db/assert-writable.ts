import { sql } from 'kysely'
import type { Database } from './client.ts'

/**
 * Fails where a write would: at a server that is read-only or a standby, cannot commit, or has a full
 * disk. Leaves nothing behind. A row would not find a full disk, as it may fit a page that is there
 * already; a sort that does not fit memory is written to a file.
 */
export async function assertWritable(database: Database): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`select set_config('work_mem', '64kB', true),
                     set_config('statement_timeout', '2s', true)`.execute(transaction)
    // Refused without looking at a row where the transaction is read-only. An id makes the commit one
    // that is written.
    await sql`
      with refused as (delete from muster_migrations where false)
      select pg_current_xact_id(), (select count(*) from generate_series(1, 20000))`.execute(
      transaction,
    )
  })
}
