import { sql } from 'kysely'
import { runTable } from '../../db/fragments.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { allAccounts, run } from '../../db/run.ts'
import type { Tags } from '../journal/search-terms.ts'
import type { RunKey, RunStatus } from '../run/run.ts'
import { lastEpochInDoubt } from '../journal/epochs.ts'

/**
 * Reads of the event log of runs and of its newest sequence numbers. The statement that changes a
 * run appends its events (`journal/record.ts`).
 */
export interface StoredEvent {
  id: string
  type: string
  sequence: number
  run_id: string
  created_at: Date
  /** Tags of its run. */
  tags: Tags
  data: Record<string, unknown>
}

/**
 * Events of a run after a sequence number, oldest first. Tags are read from the run, once for all
 * of them.
 */
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

/**
 * The event of a run with this id. If it exists, a repeated request has been carried out already.
 */
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

/** Status and newest event of a run. */
export interface Progress {
  status: RunStatus
  lastSequence: number
}

/** Progress of runs, in the order given; undefined if the account has no such run. */
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

export async function hasOpenRuns(
  transaction: Transaction,
  accountId: string,
  workflowId: string,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('runs')
    .select('id')
    .where('status', 'in', ['queued', 'running', 'waiting_input'])
    .where('account_id', '=', accountId)
    .where('workflow_id', '=', workflowId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Unfinished runs by status, over all accounts, for the metrics. Queued and running ones are
 * counted from the jobs, so the runs need no index for it, which every move of a run would have to
 * update.
 */
export async function countOpenRuns(database: Database): Promise<Map<RunStatus, number>> {
  const query = sql<{ status: RunStatus; count: number }>`
    select case when begun or worker is not null then 'running' else 'queued' end as status,
           count(*)::int as count
    from jobs group by 1
    union all
    select 'waiting_input', count(*)::int from runs where status = 'waiting_input'`
  const counts = new Map<RunStatus, number>()
  for (const { status, count } of await run(database, allAccounts, query)) {
    counts.set(status, (counts.get(status) ?? 0) + count)
  }
  return counts
}

/** State of a run. */
export interface Standing {
  runId: string
  status: RunStatus
  sequence: number
  pendingId: string | null
}

interface Gone {
  runId: string
  status: null
}

export async function readStandings(
  database: Database,
  runs: RunKey[],
): Promise<(Standing | Gone)[]> {
  const query = sql<Standing | Gone>`
    select asked.id as "runId", status, last_sequence as sequence, pending ->> 'id' as "pendingId"
    from ${runTable(runs)} as asked
    left join runs on runs.account_id = asked.account_id and runs.id = asked.id`
  return run(database, runs, query)
}

/** Open runs that started before a failover that may have lost data. */
export async function countRunsInDoubt(database: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from runs
    where status in ('queued', 'running', 'waiting_input') and epoch < ${lastEpochInDoubt}`.execute(
    database,
  )
  return rows[0]?.count ?? 0
}
