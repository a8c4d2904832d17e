import { sql, type RawBuilder, type Selectable } from 'kysely'
import { lockAccount } from '../accounts/lock.ts'
import type { Database, Transaction } from '../db/client.ts'
import { behind, type Cursor } from '../db/keyset.ts'
import type { Tables } from '../db/generated-tables.ts'
import { activeStatuses, isActive, type JobChange } from './job.ts'
import type { JobEvent } from './providers/contract.ts'

/** SQL of fine-tunes as their account sees them; `tracking-store.ts` has what makes and follows them. */
export type JobRow = Selectable<Tables['fine_tunes']>

export interface NewJob {
  id: string
  name: string
  provider: string
  providerLabel: string
  baseModel: string
  baseModelLabel: string
  suffix: string | null
  source: 'upload' | 'runs'
  sourceWorkflowId: string | null
  sourceRole: string | null
  exampleCount: number
  trainingBytes: number
  hyperparameters: unknown
  trainingRate: number | null
  inferenceRate: { in: number; out: number } | null
}

/**
 * Inserts a job with its training set. Undefined when a request that crashed made it before, or when
 * the account has `max` jobs that may still cost something.
 */
export async function insertJob(
  transaction: Transaction,
  accountId: string,
  job: NewJob,
  gzip: Uint8Array,
  max: number,
): Promise<JobRow | undefined> {
  await lockAccount(transaction, accountId)
  if ((await countUnfinished(transaction, accountId)) >= max) return undefined
  const row = await transaction
    .insertInto('fine_tunes')
    .values({
      id: job.id,
      account_id: accountId,
      name: job.name,
      provider: job.provider,
      provider_label: job.providerLabel,
      base_model: job.baseModel,
      base_model_label: job.baseModelLabel,
      suffix: job.suffix,
      source: job.source,
      source_workflow_id: job.sourceWorkflowId,
      source_role: job.sourceRole,
      example_count: job.exampleCount,
      training_bytes: job.trainingBytes,
      hyperparameters: JSON.stringify(job.hyperparameters),
      training_rate: job.trainingRate,
      inference_rate_in: job.inferenceRate?.in ?? null,
      inference_rate_out: job.inferenceRate?.out ?? null,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'id']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) return undefined
  await transaction
    .insertInto('fine_tune_datasets')
    .values({ fine_tune_id: job.id, account_id: accountId, body: Buffer.from(gzip.buffer) })
    .execute()
  return row
}

export async function findJob(
  database: Database,
  accountId: string,
  id: string,
): Promise<JobRow | undefined> {
  return ofAccount(database, accountId).where('id', '=', id).executeTakeFirst()
}

/** Newest first. */
export async function listJobs(
  database: Database,
  accountId: string,
  limit: number,
  after: Cursor | undefined,
): Promise<JobRow[]> {
  return ofAccount(database, accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .where(behind('created_at', after))
    .execute()
}

/** The job whose model has this id. */
export async function findByModel(
  database: Database,
  accountId: string,
  modelId: string,
): Promise<JobRow | undefined> {
  return ofAccount(database, accountId)
    .where('fine_tuned_model', '=', modelId)
    .limit(1)
    .executeTakeFirst()
}

/** Those that have a model, newest first. */
export async function listTuned(
  database: Database,
  accountId: string,
  limit: number,
): Promise<JobRow[]> {
  return ofAccount(database, accountId)
    .where('fine_tuned_model', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Whether the provider may be asked now: once a second for each job, over all processes. */
export async function takePoll(
  database: Database,
  accountId: string,
  id: string,
  column: 'polled_at' | 'events_polled_at',
): Promise<boolean> {
  const name = sql.ref(column)
  const { rows } = await sql`
    update fine_tunes set ${name} = now()
    where account_id = ${accountId} and id = ${id}
      and (${name} is null or ${name} <= now() - interval '1 second')
    returning id`.execute(database)
  return rows.length > 0
}

/** Applies what the provider said to a job that is active; undefined where it no longer is. */
export async function applyChange(
  database: Database,
  accountId: string,
  id: string,
  change: JobChange,
): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    update fine_tunes set ${columnsOf(change)}
    where account_id = ${accountId} and id = ${id} and stage = 'created'
      and status = any(${[...activeStatuses]}::text[])
    returning *`.execute(database)
  return rows[0]
}

/** What a change sets. The end of a job wakes the background, which drops the uploaded file. */
export function columnsOf(change: JobChange): RawBuilder<unknown> {
  const isOver = !isActive(change.status)
  const hasBegun = ['running', 'succeeded'].includes(change.status)
  return sql`
    status = ${change.status}, provider_status = ${change.providerStatus},
    fine_tuned_model = ${change.fineTunedModel}, trained_tokens = ${change.trainedTokens}::bigint,
    cost_usd = ${change.costUsd}::numeric, error = ${change.error},
    started_at = coalesce(started_at, ${change.startedAt}::timestamptz,
      case when ${hasBegun}::boolean then least(now(), ${change.finishedAt}::timestamptz) end),
    finished_at = case when ${isOver}::boolean
      then coalesce(${change.finishedAt}::timestamptz, now()) end,
    last_synced_at = now(),
    next_sync_at = case when ${isOver}::boolean then now() else now() + interval '1 minute' end`
}

/**
 * Marks an active job as cancelled; undefined where it is no longer active, or got its id at the
 * provider meanwhile and so is not stopped there.
 */
export async function cancelJob(
  database: Database,
  job: Pick<JobRow, 'id' | 'account_id' | 'provider_job_id'>,
  providerStatus: string | null,
): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    update fine_tunes
    set status = 'cancelled', provider_status = coalesce(${providerStatus}, provider_status),
        cost_usd = 0, finished_at = now(), next_sync_at = now(),
        last_synced_at = case when ${providerStatus}::text is null then last_synced_at else now() end
    where account_id = ${job.account_id} and id = ${job.id}
      and provider_job_id is not distinct from ${job.provider_job_id}
      and status = any(${[...activeStatuses]}::text[])
    returning *`.execute(database)
  return rows[0]
}

/** The job is gone for its account; the background removes what is left of it. */
export async function markDeleted(
  database: Database,
  accountId: string,
  id: string,
): Promise<boolean> {
  const { rows } = await sql`
    update fine_tunes set deleted_at = now(), next_sync_at = now()
    where account_id = ${accountId} and id = ${id} and deleted_at is null
    returning id`.execute(database)
  return rows.length > 0
}

export async function saveEvents(
  database: Database,
  accountId: string,
  id: string,
  events: JobEvent[],
): Promise<void> {
  await sql`
    update fine_tunes set events = ${JSON.stringify(events)}::jsonb
    where account_id = ${accountId} and id = ${id}`.execute(database)
}

function ofAccount(database: Database, accountId: string) {
  return database
    .selectFrom('fine_tunes')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
}

/** A job that was deleted or cancelled counts until its provider has been told. */
async function countUnfinished(transaction: Transaction, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from fine_tunes
    where account_id = ${accountId}
      and (status = any(${[...activeStatuses]}::text[]) or stage <> 'created')`.execute(transaction)
  return rows[0]?.count ?? 0
}
