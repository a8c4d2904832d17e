import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { eachAccount, eachPart, fanOut, inScope, run } from '../db/run.ts'
import {
  ago,
  afterCursor,
  deleteOfOldRuns,
  deleteOldRuns,
  deleteRuns,
  oldestRun,
  oldestRunOf,
  type Cursor,
  type Walked,
} from '../engine/journal/prune.ts'

/**
 * SQL that deletes old rows, account by account. Each function deletes one batch after a cursor and
 * returns the next cursor, or undefined at the end of its walk.
 */
export const firstCursor: Cursor = { accountId: '', id: '', isBegun: false }

/** Rows per statement. */
export const batch = 1_000
/** A run is deleted with its steps, calls, events and deliveries. */
const runBatch = 100

/** An arbitrary constant: the advisory lock of pruning. */
const pruneLock = 0x6d77686a

/**
 * Deletes events or model messages of runs that ended at least this many days ago. Neither is ever
 * updated, so rows can be found by ctid.
 */
export async function pruneOfRuns(
  database: Database,
  table: 'events' | 'step_turns',
  days: number,
  cursor: Cursor,
): Promise<Cursor | undefined> {
  const { accountId } = cursor
  const oldest: Oldest = (account) => oldestRunOf(table, account)
  return piece(database, cursor, days, oldest, async (transaction) => {
    const last = await deleteOfOldRuns(transaction, table, { ...cursor, days, limit: batch })
    // Continues with the rest of an old run; skips a run that is not old yet.
    return last && next(accountId, last, batch, last.isOld)
  })
}

/** Deletes deliveries at least this many days old, except pending ones. */
export async function pruneDeliveries(
  database: Database,
  days: number,
  cursor: Cursor,
): Promise<Cursor | undefined> {
  const { accountId } = cursor
  const oldest: Oldest = (account) => sql`
    select created_at from webhook_deliveries where account_id = ${account} order by id limit 1`
  return piece(database, cursor, days, oldest, async (transaction) => {
    const { rows } = await sql<Walked>`
      with walked as materialized (
        select id, status, created_at from webhook_deliveries
        where account_id = ${accountId} and ${afterCursor('id', cursor)}
        order by id limit ${sql.lit(batch)}
      ), deleted as (
        delete from webhook_deliveries
        where account_id = ${accountId}
          and id = any(array(select id from walked where created_at < ${ago(days)}))
          and status <> 'pending'
      )
      select max(id) as id, count(*)::int as count, max(created_at) >= ${ago(days)} as "isYoung"
      from walked having count(*) > 0`.execute(transaction)
    return rows[0] && next(accountId, rows[0], batch)
  })
}

/**
 * Deletes runs that ended at least this many days ago. A run with a pending delivery stays: its
 * other deliveries are deleted first, in this transaction, so that none can become pending
 * meanwhile.
 */
export async function pruneRuns(
  database: Database,
  days: number,
  cursor: Cursor,
): Promise<Cursor | undefined> {
  const { accountId } = cursor
  const oldest: Oldest = (account) => oldestRun(account)
  return piece(database, cursor, days, oldest, async (transaction) => {
    const last = await deleteOldRuns(transaction, { ...cursor, days, limit: runBatch })
    return last && next(accountId, last, runBatch)
  })
}

/** Deletes audit entries at least this many days old, up to 1,000. Returns how many. */
export function pruneAudit(database: Database, days: number): Promise<number> {
  return deleteOld(database, 'audit', 'created_at', ago(days))
}

/**
 * Deletes channel notifications at least this many days old, up to 1,000, except those of open
 * cases.
 */
export function pruneNotifications(database: Database, days: number): Promise<number> {
  return deleteOld(database, 'notifications', 'created_at', ago(days), sql` and not is_open`)
}

/** Deletes hook deliveries received at least this many days ago. Returns how many. */
export function pruneHookDeliveries(database: Database, days: number): Promise<number> {
  const isSettled = sql` and status <> 'pending'`
  return deleteOld(database, 'hook_deliveries', 'received_at', ago(days), isSettled)
}

/**
 * Deletes the ids of events that hooks received: after three days, `sources/hooks/delivery-store.ts` no
 * longer looks for duplicates.
 */
export function pruneHookEvents(database: Database): Promise<number> {
  return deleteOld(database, 'hook_events', 'seen_at', ago(3))
}

/** Deletes records of mailbox messages that were seen at least this many days ago, up to 1,000. */
export function pruneMessages(database: Database, days: number): Promise<number> {
  return deleteOld(database, 'mailbox_messages', 'created_at', ago(days))
}

/** Deletes a batch that ended at least this many days ago, with its items. Returns how many. */
export function pruneBatches(database: Database, days: number): Promise<number> {
  const old = sql`batches where finished_at < ${ago(days)}`
  return eachPart(database, old, async (scope, connection) => {
    const query = sql`
      delete from batches where ctid = any(array(
        select ctid from ${old} ${inScope('batches', scope)} order by finished_at limit 1))
      returning 1 as one`
    return (await run(connection, scope, query)).length
  })
}

/**
 * Deletes a thread that has not changed for this many days, with its messages and the runs of its turns. One with an open
 * message stays. Returns how many.
 */
export function pruneThreads(database: Database, days: number): Promise<number> {
  const old = sql`threads where updated_at < ${ago(days)} and not exists (
    select from thread_messages as message
    where message.account_id = threads.account_id and message.thread_id = threads.id
      and message.status in ('queued', 'running'))`
  return eachAccount(database, old, (scope) =>
    database.transaction().execute(async (transaction) => {
      if (!(await lockPruning(transaction))) return 0
      const query = sql<{ accountId: string; id: string; runs: string[] }>`
        select account_id as "accountId", id, array(
                 select run_id from thread_messages as message
                 where message.account_id = threads.account_id and message.thread_id = threads.id
                   and message.role = 'user') as runs
        from ${old}${inScope('threads', scope)} order by updated_at limit 1 for update`
      const [thread] = await run(transaction, scope, query)
      if (thread === undefined) return 0
      const { accountId, id, runs } = thread
      await deleteRuns(transaction, accountId, runs)
      await sql`delete from threads where account_id = ${accountId} and id = ${id}`.execute(
        transaction,
      )
      return 1
    }),
  )
}

/** Deletes bulk operations that finished at least this many days ago. Returns how many. */
export function pruneBulkOperations(database: Database, days: number): Promise<number> {
  return deleteOld(database, 'bulk_operations', 'finished_at', ago(days))
}

/** Deletes rows of the operator's log at least this many days old, up to 1,000. Returns how many. */
export async function pruneOperatorLog(database: Database, days: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from operator_log where id = any(array(
      select id from operator_log where created_at < ${ago(days)}
      order by created_at limit ${sql.lit(batch)}))`.execute(database)
  return Number(numAffectedRows ?? 0)
}

/** Deletes usage of days at least this many days ago, up to 2,000 rows. Returns how many. */
export async function pruneUsage(database: Database, days: number): Promise<number> {
  const before = sql`(${ago(days)})::date`
  const sums = await deleteOld(database, 'usage_days', 'day', before)
  return sums + (await deleteOld(database, 'usage_durations', 'day', before))
}

/** Deletes rows that are too old to be updated any more, account by account. */
function deleteOld(
  database: Database,
  table:
    | 'audit'
    | 'bulk_operations'
    | 'hook_deliveries'
    | 'hook_events'
    | 'mailbox_messages'
    | 'notifications'
    | 'usage_days'
    | 'usage_durations',
  column: string,
  before: RawBuilder<unknown>,
  further: RawBuilder<unknown> = sql``,
): Promise<number> {
  const isOld = sql`${sql.ref(column)} < ${before}${further}`
  return eachPart(database, sql`${sql.table(table)} where ${isOld}`, async (scope) => {
    const query = sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select old.place from accounts cross join lateral (
          select ctid as place from ${sql.table(table)}
          where account_id = accounts.id and ${isOld}
          order by ${sql.ref(column)} limit ${sql.lit(batch)}
        ) as old
        limit ${sql.lit(batch)}))
      returning 1 as one`
    return (await run(database, scope, query)).length
  })
}

/** Ids grow with time, so after a young row the account has nothing more to delete. */
function next(
  accountId: string,
  { id, count, isYoung }: Walked,
  limit: number,
  isBegun = false,
): Cursor | undefined {
  return count < limit || isYoung ? undefined : { accountId, id, isBegun }
}

/**
 * Runs a batch unless another process is running one. After the last batch of an account comes the
 * next account with an old row: `oldest` selects the time of each account's first row.
 */
async function piece(
  database: Database,
  { accountId }: Cursor,
  days: number,
  oldest: Oldest,
  work: (transaction: Transaction) => Promise<Cursor | undefined>,
): Promise<Cursor | undefined> {
  const done = await database.transaction().execute(async (transaction) => {
    if (!(await lockPruning(transaction))) return { isBusy: true, rest: undefined }
    return { isBusy: false, rest: accountId === '' ? undefined : await work(transaction) }
  })
  if (done.isBusy || done.rest !== undefined) return done.rest
  const query = sql<{ id: string }>`
    select id from accounts where id > ${accountId} and (${oldest(sql.ref('accounts.id'))}) < ${ago(days)}
    order by id limit 1`
  const [next] = (await fanOut(database, query)).sort((a, b) => (a.id < b.id ? -1 : 1))
  return next && { ...firstCursor, accountId: next.id }
}

/** False if another process is running a batch. */
export async function lockPruning(transaction: Transaction): Promise<boolean> {
  const { rows } = await sql<{ ok: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(pruneLock)}) as ok`.execute(transaction)
  return rows[0]?.ok === true
}

/** Selects the time of an account's first row. */
type Oldest = (account: RawBuilder<unknown>) => RawBuilder<unknown>

export type { Cursor }
