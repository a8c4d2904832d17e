import { sql, type RawBuilder } from 'kysely'
import type { ValueOf } from './statement.ts'

/**
 * Batches as tables. The rows of a batch have to be looked up one by one in the index, however
 * small the tables were when PostgreSQL planned the statement: it keeps plans for long, and a plan
 * that scans a small table would still scan it at a million rows. So these fragments make the
 * planner expect a batch of one row.
 */

/**
 * True for each row of `input`, whose column `number` is never null; the planner expects one in
 * 200.
 */
export const fewRows = sql.raw(`(input.number || '') = input.number::text`)

/**
 * Whether a row belongs to the run that another table names in `account_id` and a column of its
 * own, written as a join that can only be done by index lookups. For a small table the planner
 * would otherwise choose to read the whole index, and keep that plan when the table has grown.
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

/** The same, from a list of accounts and a list of ids. */
export function pairTable(
  accounts: ValueOf<string[]>,
  ids: ValueOf<string[]>,
): RawBuilder<unknown> {
  return sql`(
    select * from unnest(${accounts}::text[], ${ids}::text[])
      with ordinality as input (account_id, id, number)
    where ${fewRows})`
}
