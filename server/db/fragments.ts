import { sql, type RawBuilder } from 'kysely'
import type { Transaction } from './client.ts'
import { clusterOf, textFor } from './cluster/dialect.ts'
import type { ValueOf } from './statement.ts'

/*
 * Fragments of statements: those that differ between a single PostgreSQL and a cluster, and batches as tables.
 */

const nothing = sql``

/**
 * Commits without waiting for the disk, for data that may be lost if the server crashes in the next
 * moments. Any later commit that waits writes this one too. The statement has to read or return the
 * fragment. A cluster does wait, because Citus returns only constants here.
 */
export const quickCommit = textFor({
  postgres: sql`set_config('synchronous_commit', 'off', true)`,
  cluster: sql`1`,
})

export interface Notice {
  channel: string
  /** Left out for the name of the pool, so that a process does not wake itself. */
  payload?: RawBuilder<string>
  /** Sent only if this holds. */
  when?: RawBuilder<boolean>
  /** A column with an account id: sent only while that account is watched. */
  watched?: RawBuilder<unknown>
}

/**
 * Sends a notice at the commit; use it as the last returned column of a part of a statement.
 * PostgreSQL sends the notice itself. A cluster's node cannot: it returns the notice, and the
 * coordinator sends it. If the part is a CTE, the statement must end with `withNotices`.
 */
export function notice({ channel, payload, when, watched }: Notice): RawBuilder<unknown> {
  const isWatched =
    watched &&
    sql<boolean>`exists (select from account_watches
                    where account_watches.account_id = ${watched} and until > now())`
  const guard = (conditions: (RawBuilder<boolean> | undefined)[], value: RawBuilder<unknown>) => {
    const given = conditions.filter((one) => one !== undefined)
    return given.length === 0
      ? value
      : sql`case when ${sql.join(given, sql` and `)} then ${value} end`
  }
  const sent = sql`pg_notify(${sql.lit(channel)}, ${payload ?? poolName})::text`
  const returned = sql`json_build_object('channel', ${sql.lit(channel)}, 'payload', ${payload ?? sql`null`},
                                         'account', ${watched ?? sql`null`})`
  return textFor({
    postgres: sql`${guard([when, isWatched], sent)} as notice`,
    cluster: sql`${guard([when], returned)} as notice`,
  })
}

/** The name of the pool that sends a statement. */
export const poolName = sql<string>`current_setting('muster.pool', true)`

/**
 * The last part of a statement: a query after CTEs that return notices. On a cluster they are sent
 * only if it returns a row.
 */
export function withNotices<T>(query: RawBuilder<T>, ...ctes: string[]): RawBuilder<T> {
  const all = ctes.map(
    (cte) => sql`select notice::text from ${sql.table(cte)} where notice is not null`,
  )
  return textFor<T>({
    postgres: query,
    cluster: sql`
      select answer.*, case when row_number() over () = 1
               then (select json_agg(notice::json) from (${sql.join(all, sql` union `)}) as noticed)
             end as notices
      from (${query}) as answer`,
  })
}

/** The number of a new row in an identity column, which shards cannot generate themselves. */
export function ownNumber(
  column: string,
  sequence: string,
): Record<'column' | 'value', RawBuilder<unknown>> {
  return {
    column: textFor({ postgres: nothing, cluster: sql`${sql.ref(column)}, ` }),
    value: textFor({ postgres: nothing, cluster: sql`nextval(${sql.lit(sequence)}), ` }),
  }
}

/**
 * Reads a row of a reference table and locks it until the transaction ends. To lock such a row
 * Citus would lock the whole table, for every account; so a cluster uses an advisory lock on the
 * coordinator instead.
 */
export async function lockRow<T>(
  transaction: Transaction,
  id: string,
  query: RawBuilder<T>,
): Promise<T | undefined> {
  if (clusterOf(transaction) !== undefined) {
    await sql`select pg_advisory_xact_lock(${sql.lit(rowLocks)}, hashtext(${id}))`.execute(
      transaction,
    )
  }
  const lock = textFor({ postgres: sql`for no key update`, cluster: nothing })
  const { rows } = await sql<T>`${query} ${lock}`.execute(transaction)
  return rows[0]
}

/** An arbitrary constant that identifies these locks. */
const rowLocks = 0x6d616363

/**
 * Prevents the deletion of the rows that are read until the transaction ends. Not available on a
 * cluster.
 */
export function preventDeletion(table: string): RawBuilder<unknown> {
  return textFor({ postgres: sql`for key share of ${sql.table(table)}`, cluster: nothing })
}

/*
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
