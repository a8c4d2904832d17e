import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import type { RunStatus } from './run.ts'

/**
 * The stored event log of runs. A state change appends its events in its own statement; streams and
 * deliveries read them afterwards. The numbers of a run's events are counted on its row, under its
 * lock, so they only grow and have no gaps.
 */
export interface StoredEvent {
  id: string
  type: string
  sequence: number
  run_id: string
  created_at: Date
  data: Record<string, unknown>
}

/**
 * The body of a CTE that appends the events of changed runs. `source` is a CTE with the columns
 * `id`, `account_id`, `last_sequence` (already raised) and `events`, a JSON array of
 * `{id, type, data}`.
 */
export function appendEvents(source: string): RawBuilder<unknown> {
  return sql`
    insert into events (run_id, sequence, id, account_id, type, data)
    select changed.id,
           changed.last_sequence - json_array_length(changed.events) + event.number,
           event.id, changed.account_id, event.type, event.data
    from ${sql.ref(source)} as changed,
         rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
           with ordinality as event (id, type, data, number)`
}

/** Events of a run after a sequence number, oldest first. */
export async function readEvents(
  database: Database,
  accountId: string,
  runId: string,
  afterSequence: number,
  limit: number,
): Promise<StoredEvent[]> {
  const rows = await database
    .selectFrom('events')
    .select(['id', 'type', 'sequence', 'run_id', 'created_at', 'data'])
    .where('account_id', '=', accountId)
    .where('run_id', '=', runId)
    .where('sequence', '>', afterSequence)
    .orderBy('sequence')
    .limit(limit)
    .execute()
  return rows as StoredEvent[]
}

/** Whether a run has an event of this id: what a repeated request would do was done. */
export async function hasEvent(
  database: Database | Transaction,
  accountId: string,
  runId: string,
  id: string,
): Promise<boolean> {
  const row = await database
    .selectFrom('events')
    .select('id')
    .where('account_id', '=', accountId)
    .where('run_id', '=', runId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

/** Where a run is, without its texts. */
export interface Progress {
  status: RunStatus
  lastSequence: number
}

/** Where runs are, in the order asked; undefined where the account has no such run. */
export async function readProgress(
  database: Database,
  runs: { accountId: string; runId: string }[],
): Promise<(Progress | undefined)[]> {
  const { rows } = await sql<Progress | { status: null }>`
    select runs.status, runs.last_sequence as "lastSequence"
    from unnest(${runs.map(({ accountId }) => accountId)}::text[],
                ${runs.map(({ runId }) => runId)}::text[])
      with ordinality as asked (account_id, id, number)
    left join runs on runs.id = asked.id and runs.account_id = asked.account_id
    order by asked.number`.execute(database)
  return rows.map((row) => (row.status === null ? undefined : row))
}

/** The newest event number of each run, for those that exist. */
export async function readLastSequences(
  database: Database,
  runIds: string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; last_sequence: number }>`
    select id, last_sequence from runs where id = any(${runIds})`.execute(database)
  return new Map(rows.map((row) => [row.id, row.last_sequence]))
}
