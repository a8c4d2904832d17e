import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { readAccountTables } from './tables.ts'
import { eraseJobs, eraseRuns } from '../engine/journal/prune.ts'

/**
 * SQL that deletes an account with all its rows, in short transactions that can start over after a
 * crash. Runs are deleted first, with their related rows, so that a worker that still executes one
 * cannot write.
 */

/** Rows per statement; a run is deleted together with its steps, calls and events. */
const batch = 1_000
/** Accounts per query. */
const accountsAtOnce = 100

/** Revokes all access to the account. Its fine-tunes are left to the process that follows them. */
export async function beginErasure(transaction: Transaction, accountId: string): Promise<void> {
  await sql`update accounts set deleted_at = now() where id = ${accountId}`.execute(transaction)
  await sql`delete from api_keys where account_id = ${accountId}`.execute(transaction)
  await sql`delete from invitations where account_id = ${accountId}`.execute(transaction)
  await sql`delete from setup_links where account_id = ${accountId}`.execute(transaction)
  // Sessions are deleted with their membership; a user without another membership is deleted too.
  const { rows } = await sql<{ id: string }>`
    delete from memberships where account_id = ${accountId} returning user_id as id`.execute(
    transaction,
  )
  await sql`
    delete from users where id = any(${rows.map(({ id }) => id)})
      and not exists (select from memberships where user_id = users.id)`.execute(transaction)
  await eraseJobs(transaction, accountId)
  await sql`
    update fine_tunes
    set deleted_at = coalesce(deleted_at, (select now())), drops_model = true, next_sync_at = now(),
        polled_at = null
    where account_id = ${accountId}`.execute(transaction)
}

/** Accounts to delete, in the order of their requests. */
export async function listDeleted(database: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts where deleted_at is not null
    order by deleted_at limit ${sql.lit(accountsAtOnce)}`.execute(database)
  return rows.map(({ id }) => id)
}

/** An arbitrary constant: the advisory lock of erasing. */
const eraseLock = 0x6d776572

/** Tables that other processes clean up, or that are deleted with the account's own row. */
const lastTables = ['fine_tunes', 'fine_tune_datasets', 'account_holds'].concat(
  'file_contents',
  'file_chunks',
)

/**
 * Deletes one batch of the remaining rows. `waiting`: fine-tunes and file contents are being
 * removed elsewhere, or older requests are still in progress. `gone`: the account itself is
 * deleted.
 */
export async function eraseBatch(
  database: Database,
  accountId: string,
  settleMs: number,
): Promise<'more' | 'waiting' | 'gone'> {
  return database.transaction().execute(async (transaction) => {
    const lock = await sql<{ ok: boolean }>`
      select pg_try_advisory_xact_lock(${sql.lit(eraseLock)}) as ok`.execute(transaction)
    if (lock.rows[0]?.ok !== true) return 'waiting'
    if (await eraseRuns(transaction, accountId)) return 'more'
    const tables = await readAccountTables(transaction)
    for (const { name } of tables) {
      if (lastTables.includes(name)) continue
      if (await deleteRows(transaction, name, accountId)) return 'more'
    }
    await leaveContents(transaction, accountId)
    return (await deleteAccountRow(transaction, accountId, settleMs)) ? 'gone' : 'waiting'
  })
}

async function deleteRows(
  transaction: Transaction,
  table: string,
  accountId: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where account_id = ${accountId} and ctid = any(array(
      select ctid from ${sql.table(table)} where account_id = ${accountId}
      limit ${sql.lit(batch)}))`.execute(transaction)
  return numAffectedRows !== undefined && numAffectedRows > 0n
}

/**
 * Leaves contents of files to the process that removes unused contents, because they may be stored
 * elsewhere. Uploads in progress keep their row, by which their bytes are found: until the upload
 * ends, or an hour after a crash.
 */
async function leaveContents(transaction: Transaction, accountId: string): Promise<void> {
  await sql`
    update file_contents set state = 'dropping', due_at = now()
    where account_id = ${accountId} and state = 'kept'`.execute(transaction)
}

async function deleteAccountRow(
  transaction: Transaction,
  accountId: string,
  settleMs: number,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from accounts
    where id = ${accountId} and deleted_at < now() - make_interval(secs => ${settleMs / 1_000})
      and not exists (select from fine_tunes where account_id = ${accountId})
      and not exists (select from file_contents where account_id = ${accountId})
    for update`.execute(transaction)
  if (rows.length === 0) return false
  await deleteRows(transaction, 'account_holds', accountId)
  await sql`delete from accounts where id = ${accountId}`.execute(transaction)
  return true
}
