import { sql } from 'kysely'
import { byReferences } from '../db/by-references.ts'
import type { Database, Transaction } from '../db/client.ts'

/** A table with rows of accounts, read from the database's catalog so that none is left out. */
export interface AccountTable {
  name: string
  columns: { name: string; type: string }[]
  /** Columns of the primary key after the account's id. */
  key: { name: string; type: string }[]
  /** Tables that its foreign keys refer to. */
  refersTo: string[]
}

/** All tables with rows of accounts, each before the tables that it refers to. */
export async function readAccountTables(database: Database | Transaction): Promise<AccountTable[]> {
  const { rows } = await sql<AccountTable>`
    select class.relname as name,
           (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod))
                            order by attnum)
            from pg_attribute where attrelid = class.oid and attnum > 0 and not attisdropped) as columns,
           coalesce((select json_agg(json_build_object('name', part.attname,
                                       'type', format_type(part.atttypid, part.atttypmod)) order by place)
            from pg_index cross join unnest(indkey) with ordinality as k (number, place)
            join pg_attribute as part on part.attrelid = class.oid and part.attnum = k.number
            where indrelid = class.oid and indisprimary and part.attname <> 'account_id'), '[]') as key,
           coalesce((select json_agg(distinct target.relname)
            from pg_constraint join pg_class as target on target.oid = confrelid
            where conrelid = class.oid and contype = 'f'), '[]') as "refersTo"
    from pg_class as class
    join pg_attribute as owner on owner.attrelid = class.oid and owner.attname = 'account_id'
    where class.relnamespace = current_schema()::regnamespace and class.relkind in ('r', 'p')
      and not class.relispartition
    order by class.relname`.execute(database)
  return byReferences(rows).toReversed()
}
