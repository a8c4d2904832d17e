import { sql, type RawBuilder } from 'kysely'
import type { Transaction } from './client.ts'
import { clusterOf, textFor } from './cluster/dialect.ts'

/** Parts of statements that one PostgreSQL and a cluster each need in a form of its own. */

const nothing = sql``

/**
 * Commits without waiting for the disk: for data that may be lost with the last moments before the server crashes.
 * Any later commit that does wait writes it too, as the log is one. The statement has to read or return it. A
 * cluster waits: Citus returns only constants.
 */
export const quickCommit = textFor({
  postgres: sql`set_config('synchronous_commit', 'off', true)`,
  cluster: sql`1`,
})

export interface Notice {
  channel: string
  /** Without one, the name of the pool, so that a process does not wake itself. */
  payload?: RawBuilder<string>
  /** Sent only if this holds. */
  when?: RawBuilder<boolean>
  /** The column of an account: sent only while that is watched. */
  watched?: RawBuilder<unknown>
}

/**
 * Sends a notice at the commit: the last column that a part of a statement returns. PostgreSQL sends it there. A
 * node of a cluster cannot: it returns the notice, and the coordinator sends it. Where the part is a CTE, the
 * statement ends with `withNotices`.
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

/** The last part of a statement, a query, behind CTEs that return notices. They are sent if it returns a row. */
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

/** The number of a new row, for an identity column: a shard does not number its rows. */
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
 * Reads a row of a table that every node of a cluster has, and locks it until the transaction ends. To lock such a
 * row Citus locks its whole table, and every account would wait; so a cluster has an advisory lock of the
 * coordinator in its place.
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

/** Any number of ours, of these locks. */
const rowLocks = 0x6d616363

/** Rows of such a table that are read are not deleted until the transaction ends; a cluster does not see to it. */
export function keptFromDeletion(table: string): RawBuilder<unknown> {
  return textFor({ postgres: sql`for key share of ${sql.table(table)}`, cluster: nothing })
}
