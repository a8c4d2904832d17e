import { sql, type RawBuilder, type Selectable } from 'kysely'
import { asTime } from '../db/run.ts'
import type { Database, Transaction } from '../db/client.ts'
import type { Tables } from '../db/generated-tables.ts'
import { OwnedTable } from '../db/owned-table.ts'
import { activeStatuses, isActive, type JobChange } from './job.ts'
import type { JobEvent } from './providers/contract.ts'

/**
 * SQL of fine-tunes for their account; `tracking-store.ts` has the SQL that creates and follows
 * them.
 */
export type JobRow = Selectable<Tables['fine_tunes']>

/** Columns with times. */
const times = [
  'create_sent_at',
  'created_at',
  'started_at',
  'finished_at',
  'last_synced_at',
  'polled_at',
  'events_polled_at',
  'missing_since',
  'next_sync_at',
  'deleted_at',
] as const

/** For statements whose rows a cluster returns as JSON. */
export const jobTimes = Object.fromEntries(times.map((name) => [name, asTime]))

export const jobs = new OwnedTable<JobRow>('fine_tunes')

export type JobKey = Pick<JobRow, 'account_id' | 'id'>

/** Condition: the row of a job. */
export function isJob({ account_id: accountId, id }: JobKey): RawBuilder<boolean> {
  return sql`(account_id = ${accountId} and id = ${id})`
}

const isStillActive = sql`status = any(${[...activeStatuses]}::text[])`

export async function insertJob(
  transaction: Transaction,
  accountId: string,
  row: Partial<JobRow> & { id: string },
): Promise<JobRow> {
  return (await jobs.insert(transaction, accountId, row, null)) as JobRow
}

/** A deleted or cancelled job counts until its provider has confirmed. */
export async function countUnfinished(
  transaction: Transaction,
  accountId: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from fine_tunes
    where account_id = ${accountId} and (${isStillActive} or stage <> 'created')`.execute(
    transaction,
  )
  return rows[0]?.count ?? 0
}

export function findJob(
  database: Database,
  accountId: string,
  id: string,
): Promise<JobRow | undefined> {
  return jobs.find(database, accountId, { id, deleted_at: null })
}

/**
 * Whether the provider may be called now: at most once a second for each job, over all processes.
 */
export async function takePoll(
  database: Database,
  job: JobKey,
  column: 'polled_at' | 'events_polled_at',
): Promise<boolean> {
  const name = sql.ref(column)
  const { rows } = await sql`
    update fine_tunes set ${name} = now()
    where ${isJob(job)} and (${name} is null or ${name} <= now() - interval '1 second')
    returning id`.execute(database)
  return rows.length > 0
}

/** Applies a provider's response to an active job; undefined if it is no longer active. */
export async function applyChange(
  database: Database,
  job: JobKey,
  change: JobChange,
): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    update fine_tunes set ${columnsOf(change)}
    where ${isJob(job)} and stage = 'created' and ${isStillActive}
    returning *`.execute(database)
  return rows[0]
}

/**
 * A single such response proves nothing, because an outage or a changed key can cause it. Both
 * limits must be reached.
 */
const missingHours = 6
const missingAnswers = 10

/**
 * Records that the provider does not know the job. After several such responses over hours, the job
 * has failed. Undefined if the job is no longer active.
 */
export async function noteMissing(database: Database, job: JobKey): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    update fine_tunes
    set missing_since = coalesce(missing_since, (select now())), missing_answers = missing_answers + 1
    where ${isJob(job)} and stage = 'created' and ${isStillActive}
    returning *`.execute(database)
  const [noted] = rows
  if (noted === undefined || noted.missing_answers < missingAnswers) return noted
  const error = `The provider has not known the job for ${missingHours} hours`
  const ended = await sql<JobRow>`
    update fine_tunes
    set status = 'failed', error = ${error}, cost_usd = null, finished_at = now(), next_sync_at = now()
    where ${isJob(job)} and stage = 'created' and ${isStillActive}
      and missing_answers >= ${missingAnswers}::int
      and missing_since <= now() - ${missingHours}::int * interval '1 hour'
    returning *`.execute(database)
  return ended.rows[0] ?? noted
}

/** The assignments of a change. When a job ends, the background loop deletes the uploaded file. */
export function columnsOf(change: JobChange): RawBuilder<unknown> {
  const isOver = !isActive(change.status)
  const hasBegun = ['running', 'succeeded'].includes(change.status)
  return sql`
    status = ${change.status}, provider_status = ${change.providerStatus},
    fine_tuned_model = ${change.fineTunedModel}, trained_tokens = ${change.trainedTokens}::bigint,
    cost_usd = ${change.costUsd}::numeric, error = ${change.error},
    started_at = coalesce(started_at, ${change.startedAt}::timestamptz,
      case when ${hasBegun}::boolean then least((select now()), ${change.finishedAt}::timestamptz) end),
    finished_at = ${isOver ? (change.finishedAt ?? sql`now()`) : null}, last_synced_at = now(),
    missing_since = null, missing_answers = 0,
    next_sync_at = ${isOver ? sql`now()` : sql`now() + interval '1 minute'`}`
}

/**
 * The background loop leaves a job alone while it is being created. Citus allows `now()` in a
 * `case` only as a subquery.
 */
const cleanUpAt = sql`case when stage = 'created' then (select now()) else next_sync_at end`

/**
 * Marks an active job as cancelled; undefined if it is no longer active, or got its id at the
 * provider meanwhile and so still has to be cancelled there.
 */
export async function cancelJob(
  database: Database,
  job: Pick<JobRow, 'id' | 'account_id' | 'provider_job_id'>,
  providerStatus: string | null,
): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    update fine_tunes
    set status = 'cancelled', provider_status = coalesce(${providerStatus}, provider_status),
        cost_usd = 0, finished_at = now(), next_sync_at = ${cleanUpAt},
        last_synced_at = ${providerStatus === null ? sql`last_synced_at` : sql`now()`}
    where ${isJob(job)} and ${isStillActive}
      and provider_job_id is not distinct from ${job.provider_job_id}
    returning *`.execute(database)
  return rows[0]
}

/** Deletes the job for its account; the background loop removes the rest. */
export async function markDeleted(database: Database, job: JobKey): Promise<boolean> {
  const { rows } = await sql`
    update fine_tunes set deleted_at = now(), next_sync_at = ${cleanUpAt}
    where ${isJob(job)} and deleted_at is null
    returning id`.execute(database)
  return rows.length > 0
}

export async function saveEvents(
  database: Database,
  job: JobKey,
  events: JobEvent[],
): Promise<void> {
  await sql`
    update fine_tunes set events = ${JSON.stringify(events)}::jsonb
    where ${isJob(job)}`.execute(database)
}
