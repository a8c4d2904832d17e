import { sql, type RawBuilder } from 'kysely'
import type { ValueOf } from './statement.ts'

/**
 * Batches as tables. The rows of a batch are to be looked up by key one by one, however small the tables
 * were when PostgreSQL made its plan: it keeps a plan for long, and one that reads a table whole because
 * it had few rows goes on doing so when it has a million. So the planner is made to believe that a batch
 * is one row.
 */

/** True of each row of `input`, whose column `number` is never null; the planner expects one in 200. */
export const fewRows = sql.raw(`(input.number || '') = input.number::text`)

/**
 * Whether a row belongs to the run that another table names in `account_id` and a column of its own: a join
 * that can only be made by looking each row up in the index. Of a table that it knows as small the planner
 * would otherwise read the whole index, in a plan that it keeps when the table has grown.
 */
export function isRun(table: string, other: string, id = 'run_id'): RawBuilder<boolean> {
  const same = (column: string, of: string): string =>
    `${table}.${column} = any(array[${other}.${of}])`
  return sql.raw(`(${same('account_id', 'account_id')} and ${same('run_id', id)})`)
}

/** Runs as a table with the columns `account_id`, `id` and `number`. */
export function runTable(runs: { accountId: string; runId: string }[]): RawBuilder<unknown> {
  return keyTable(runs.map(({ accountId, runId }) => ({ accountId, id: runId })))
}

/** Keys as a table with the columns `account_id`, `id` and `number`, which counts from 1. */
export function keyTable(keys: { accountId: string; id: string }[]): RawBuilder<unknown> {
  const accounts = keys.map(({ accountId }) => accountId)
  const ids = keys.map(({ id }) => id)
  return pairTable(accounts, ids)
}

/** The same of accounts and ids side by side. */
export function pairTable(
  accounts: ValueOf<string[]>,
  ids: ValueOf<string[]>,
): RawBuilder<unknown> {
  return sql`(
    select * from unnest(${accounts}::text[], ${ids}::text[])
      with ordinality as input (account_id, id, number)
    where ${fewRows})`
}
