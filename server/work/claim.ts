import { sql, type RawBuilder } from 'kysely'

/**
 * Conditions of every statement that claims background work of accounts. Few accounts are held, and
 * epochs are few, so any statement can read both tables whole.
 */

/** Whether the account of a row is neither suspended nor being deleted. */
export function isServed(table: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${table}.account_id`)} not in (
    select account_id from account_holds where reason <> 'cost')`
}

/**
 * True for a copy or a restored backup, which does nothing outward by itself until an operator
 * releases it: the original may still be running.
 */
export const isUnreleasedCopy = sql<boolean>`
  exists (select 1 from epochs where deliveries_held and reason in ('restored', 'copied'))`

/** Whether webhooks and messages are held: in such a copy, and after a promotion that may have lost data. */
export const areSendsHeld = sql<boolean>`exists (select 1 from epochs where deliveries_held)`

/** Whether a row may be worked on: its account is served, and the database is the original. */
export function mayWork(table: string): RawBuilder<boolean> {
  return sql<boolean>`(${isServed(table)} and not ${isUnreleasedCopy})`
}
