import { sql } from 'kysely'
import type { Database } from '../server/db/client.ts'
import { earlier } from './earlier.ts'

/**
 * Lets time pass for everything that is stored: each time in the database moves back by the interval. To a running
 * service this looks as if its process had been paused: leases and deadlines that end meanwhile have ended.
 */
export async function passTime(database: Database, interval: string): Promise<void> {
  const { rows } = await sql<{ table: string; columns: string[] }>`
    select table_name as table, array_agg(column_name::text) as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = current_schema() and table_type = 'BASE TABLE' and is_generated = 'NEVER'
      and data_type = 'timestamp with time zone'
    group by table_name
    -- Accounts first, because Citus changes a table that all nodes have before those that refer to it; then runs, as in the
    -- statements of the service, which would wait for each other otherwise.
    order by table_name <> 'accounts', table_name <> 'runs', table_name`.execute(database)
  await database.transaction().execute(async (transaction) => {
    for (const { table, columns } of rows) {
      const moves = columns.map((column) => sql`${sql.ref(column)} = ${earlier(column, interval)}`)
      await sql`update ${sql.table(table)} set ${sql.join(moves)}`.execute(transaction)
    }
  })
}
