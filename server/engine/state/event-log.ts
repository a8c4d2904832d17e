import { sql } from 'kysely'
import { runTable } from '../../db/batch.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { run } from '../../db/run.ts'
import type { Tags } from './marks.ts'
import type { RunKey, RunStatus } from './run.ts'

/**
 * Reads of the stored event log of runs, and of how far it is. The statement that changes a run appends
 * its events (`record-change.ts`).
 */
export interface StoredEvent {
  id: string
  type: string
  sequence: number
  run_id: string
  created_at: Date
  /** Of its run. */
  tags: Tags
  data: Record<string, unknown>
}

/** Events of a run after a sequence number, oldest first. Tags are read from the run, once for all of them. */
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
    .select(
      sql`coalesce((select tags from runs where account_id = ${accountId} and id = ${runId}), '{}')`.as(
        'tags',
      ),
    )
    .where('account_id', '=', accountId)
    .where('run_id', '=', runId)
    .where('sequence', '>', afterSequence)
    .orderBy('sequence')
    .limit(limit)
    .execute()
  return rows as StoredEvent[]
}

/** The event of a run with this id: where there is one, what a repeated request would do was done. */
export async function findEvent(
  database: Database | Transaction,
  accountId: string,
  runId: string,
  id: string,
): Promise<Pick<StoredEvent, 'type' | 'data'> | undefined> {
  const row = await database
    .selectFrom('events')
    .select(['type', 'data'])
    .where('account_id', '=', accountId)
    .where('run_id', '=', runId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row as Pick<StoredEvent, 'type' | 'data'> | undefined
}

/** Where a run is, without its texts. */
export interface Progress {
  status: RunStatus
  lastSequence: number
}

/** Where runs are, in the order asked; undefined where the account has no such run. */
export async function readProgress(
  database: Database,
  runs: RunKey[],
): Promise<(Progress | undefined)[]> {
  const query = sql<Progress | { status: null }>`
    select runs.status, runs.last_sequence as "lastSequence"
    from ${runTable(runs)} as asked
    left join runs on runs.account_id = asked.account_id
      and runs.id = asked.id
    order by asked.number`
  const rows = await run(database, runs, query)
  return rows.map((row) => (row.status === null ? undefined : row))
}
