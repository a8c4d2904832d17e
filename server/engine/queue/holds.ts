import { sql, type RawBuilder } from 'kysely'

/** Accounts whose runs rest. Few accounts are held, so their whole list is at hand in any statement. */

/** Nothing holds the runs of the account of a row: no suspension, and no quota that is used up. */
export function isFree(table: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${table}.account_id`)} not in (
    select account_id from account_holds where until > now())`
}

/** The account of a row is not suspended, nor being deleted. */
export function isServed(table: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${table}.account_id`)} not in (
    select account_id from account_holds where reason <> 'cost')`
}
