import type { Logger } from 'pino'
import { sql } from 'kysely'
import type { Database } from './client.ts'

/**
 * Which failures of a statement are outages of the database, not faults of the request: the same
 * request may succeed later. Identified by SQLSTATE (PostgreSQL's five characters) or the system's
 * error code.
 */
const outages: [RegExp, string][] = [
  // The statement or its wait for a lock timed out, or the connection is dead.
  [/^(57014|55P03|25P03|ETIMEDOUT)$/, 'did not answer in time'],
  [/^25006$/, 'takes no writes now'],
  [/^53100$/, 'has no space left'],
  [/^53300$/, 'has no connection left'],
  [/^40(001|P01)$/, 'could not order changes that came together'],
  [/^25P0[12]$/, 'lost the transaction'],
  // Connections refused or cut; a server that starts, stops, is short of a resource, cannot read a
  // file or rejects the login.
  [/^(08|28|3D|53|57P|58)/, 'is unreachable'],
  [/^(ECONN|EPIPE$|EHOST|ENET|ENOENT$|ENOTFOUND$|EAI_AGAIN$)/, 'is unreachable'],
]

const connectionLost =
  /timeout exceeded when trying to connect|Connection terminated|not queryable|connection has been discarded/

/** Whether all connections of a pool were in use: there is too much to do, and the database is there. */
export function isPoolBusy(error: unknown): boolean {
  return (
    error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect')
  )
}

/** What is wrong with the database; undefined for any other error. */
export function outageOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = codeOf(error)
  const known = outages.find(([pattern]) => pattern.test(code))
  if (known !== undefined) return known[1]
  return connectionLost.test(error.message) ? 'is unreachable' : undefined
}

/** The SQLSTATE or system code of an error; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Logs a failure in the background: on one line for a database outage, else with the stack. */
export function logFailure(
  log: Logger,
  error: unknown,
  message: string,
  facts: Record<string, unknown> = {},
): void {
  if (!(error instanceof Error) || outageOf(error) === undefined) {
    log.error({ ...facts, err: error }, message)
  } else {
    log.warn({ ...facts, why: error.message, code: codeOf(error) }, message)
  }
}

/**
 * Fails if the server cannot take writes: it is read-only or a standby, cannot commit, or has a
 * full disk. Leaves nothing behind. Inserting a row would not detect a full disk, because the row
 * may fit into an existing page; a sort that does not fit into memory is written to a file.
 */
export async function assertWritable(database: Database): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`select set_config('work_mem', '64kB', true),
                     set_config('statement_timeout', '2s', true)`.execute(transaction)
    // The deletion fails in a read-only transaction without reading a row. The transaction id makes
    // the commit a written one.
    await sql`
      with refused as (delete from muster_migrations where false)
      select pg_current_xact_id(), (select count(*) from generate_series(1, 20000))`.execute(
      transaction,
    )
  })
}
