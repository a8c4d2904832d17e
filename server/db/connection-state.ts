import { sql } from 'kysely'
import type { Logger } from 'pino'
import { LRUCache } from 'lru-cache'
import { storable } from '../safe-text.ts'
import type { Database, Transaction } from './client.ts'
import { logFailure } from './outage.ts'

/**
 * Whether an account's connection works: `saved` until it has been used or tested, then `working`
 * or `failing`, by the last test or use. Channels, connectors, mailboxes and model providers store
 * it in three columns of their tables.
 */
export interface StateRow {
  checked_at: Date | null
  failing_since: Date | null
  check_message: string | null
}

export const untried: StateRow = { checked_at: null, failing_since: null, check_message: null }

type StatefulTable = 'channels' | 'connectors' | 'mailboxes' | 'model_providers'

export interface Finding {
  ok: boolean
  /** For people, without secrets. */
  message: string
}

/** The connection that was tested or used; a new version counts as a new connection. */
interface Connection {
  id: string
  version: string
}

/** The state as the API shows it; null if nothing is stored. */
export function showState(row: StateRow | undefined): {
  state: 'saved' | 'working' | 'failing' | null
  checked_at: Date | null
  failing_since: Date | null
  message: string | null
} {
  const { checked_at, failing_since, check_message: message } = row ?? untried
  const found = failing_since === null ? ('working' as const) : ('failing' as const)
  const state = row === undefined ? null : checked_at === null ? ('saved' as const) : found
  return { state, checked_at, failing_since, message }
}

/** Records the result of a test or use, unless the connection was replaced in the meantime. */
export async function noteState(
  database: Database | Transaction,
  table: StatefulTable,
  accountId: string,
  { id, version }: Connection,
  { ok, message }: Finding,
): Promise<StateRow> {
  const { rows } = await sql<StateRow>`
    update ${sql.table(table)}
    set checked_at = now(), check_message = ${storable(message).slice(0, 1_000)},
        failing_since = ${ok ? sql`null` : sql`coalesce(failing_since, (select now()))`}
    where account_id = ${accountId} and id = ${id} and version = ${version}
    returning checked_at, failing_since, check_message`.execute(database)
  return rows[0] ?? untried
}

/** An unchanged state is written once in this time, because calls are frequent. */
const sameForMs = 60_000
const remembered = new LRUCache<string, boolean>({ max: 10_000, ttl: sameForMs })

/** Records the result of a real use; a failure to do so is only logged. */
export async function noteUse(
  { database, log }: { database: Database; log: Logger },
  table: StatefulTable,
  accountId: string,
  connection: Connection,
  finding: Finding,
): Promise<void> {
  const key = `${table} ${accountId} ${connection.id} ${connection.version}`
  if (!isNews(key, finding.ok)) return
  await noteState(database, table, accountId, connection, finding).catch((error: unknown) => {
    remembered.delete(key)
    logFailure(log, error, 'the state of a connection was not noted', { table, id: connection.id })
  })
}

function isNews(key: string, ok: boolean): boolean {
  if (remembered.get(key) === ok) return false
  remembered.set(key, ok)
  return true
}
