import { sql, type RawBuilder } from 'kysely'
import type { Transaction } from '../../db/client.ts'

/** Deletes runs: by age, in batches, and all runs of a deleted account. */

/** Cursor of a walk over the rows of an account. */
export interface Cursor {
  accountId: string
  id: string
  /** Whether rows of this id are still to be checked. */
  isBegun: boolean
}

export interface Walked {
  /** Id of the last row that was checked. */
  id: string
  count: number
  isYoung: boolean
}

export interface Batch extends Cursor {
  days: number
  limit: number
}

/** Deletes events or model messages of runs that ended at least this many days ago. */
export async function deleteOfOldRuns(
  transaction: Transaction,
  table: 'events' | 'step_turns',
  { days, limit, ...cursor }: Batch,
): Promise<(Walked & { isOld: boolean }) | undefined> {
  const { accountId } = cursor
  const { rows } = await sql<Walked & { isOld: boolean }>`
    with walked as materialized (
      select run_id, ctid as place from ${sql.table(table)}
      where account_id = ${accountId} and ${afterCursor('run_id', cursor)}
      order by run_id limit ${sql.lit(limit)}
    ), old as materialized (
      select run_id, place from walked
      join runs on runs.account_id = ${accountId} and runs.id = walked.run_id
      where runs.finished_at < ${ago(days)}
    ), deleted as (
      delete from ${sql.table(table)}
      where account_id = ${accountId} and ctid = any(array(select place from old))
    )
    select last.id, (select count(*)::int from walked) as count,
           runs.created_at >= ${ago(days)} as "isYoung",
           exists (select from old where run_id = last.id) as "isOld"
    from (select max(run_id) as id from walked) as last
    join runs on runs.account_id = ${accountId} and runs.id = last.id`.execute(transaction)
  return rows[0]
}

/**
 * Deletes runs that ended at least this many days ago, with all their rows except pending
 * deliveries. Turns are deleted with their thread.
 */
export async function deleteOldRuns(
  transaction: Transaction,
  { days, limit, ...cursor }: Batch,
): Promise<Walked | undefined> {
  const { accountId } = cursor
  const { rows } = await sql<Walked & { old: string[] | null }>`
    with walked as materialized (
      select id, created_at, finished_at, thread_id from runs
      where account_id = ${accountId} and ${afterCursor('id', cursor)}
      order by id limit ${sql.lit(limit)}
    )
    select max(id) as id, count(*)::int as count, max(created_at) >= ${ago(days)} as "isYoung",
           array_agg(id) filter (where finished_at < ${ago(days)} and thread_id is null) as old
    from walked having count(*) > 0`.execute(transaction)
  const [last] = rows
  if (last?.old) {
    await sql`
      delete from webhook_deliveries
      where account_id = ${accountId} and run_id = any(${last.old}) and status <> 'pending'
      `.execute(transaction)
    await sql`
      with gone as (
        delete from runs
        where account_id = ${accountId} and id = any(${last.old}) and finished_at is not null
          and not exists (select from webhook_deliveries as delivery
                          where delivery.account_id = ${accountId} and delivery.run_id = runs.id)
        returning id
      ), steps_gone as (
        delete from steps
        where account_id = ${accountId} and run_id = any(array(select id from gone))
      ), marks_gone as (
        delete from run_marks
        where account_id = ${accountId} and run_id = any(array(select id from gone))
      ), words_gone as (
        delete from run_words
        where account_id = ${accountId} and run_id = any(array(select id from gone))
      )
      delete from events
      where account_id = ${accountId} and run_id = any(array(select id from gone))`.execute(
      transaction,
    )
  }
  return last
}

const runBatch = 100

/** Deletes a batch of an account's runs, in any status. False if there are none left. */
export async function eraseRuns(transaction: Transaction, accountId: string): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select id from runs where account_id = ${accountId} order by id limit ${sql.lit(runBatch)}
    for update`.execute(transaction)
  if (rows.length === 0) return false
  await deleteRuns(
    transaction,
    accountId,
    rows.map(({ id }) => id),
  )
  return true
}

/** Deletes runs with all that belongs to them, in any status. */
export async function deleteRuns(
  transaction: Transaction,
  accountId: string,
  ids: string[],
): Promise<void> {
  for (const table of ['webhook_deliveries', 'steps', 'run_marks', 'run_words', 'events', 'jobs']) {
    await sql`
      delete from ${sql.table(table)}
      where account_id = ${accountId} and run_id = any(${ids})`.execute(transaction)
  }
  await sql`delete from runs where account_id = ${accountId} and id = any(${ids})`.execute(
    transaction,
  )
}

export async function eraseJobs(transaction: Transaction, accountId: string): Promise<void> {
  await sql`delete from jobs where account_id = ${accountId}`.execute(transaction)
}

/** Condition: the rows after a cursor. */
export function afterCursor(column: string, { id, isBegun }: Cursor): RawBuilder<boolean> {
  return isBegun ? sql`${sql.ref(column)} >= ${id}` : sql`${sql.ref(column)} > ${id}`
}

export function ago(days: number): RawBuilder<Date> {
  return sql`now() - make_interval(days => ${days}::int)`
}

/** When the oldest run of an account was created. */
export function oldestRun(account: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select created_at from runs where account_id = ${account} order by id limit 1`
}

/** When the oldest run with rows in a table was created. */
export function oldestRunOf(
  table: 'events' | 'step_turns',
  account: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    select runs.created_at from runs
    where runs.account_id = ${account} and runs.id = (
      select run_id from ${sql.table(table)} where account_id = ${account}
      order by run_id limit 1)`
}
