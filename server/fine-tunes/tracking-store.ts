import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../db/client.ts'
import type { WorkItem, WorkTable } from '../work/table.ts'
import type { JobChange } from './job.ts'
import { columnsOf, isJob, jobTimes, type JobKey, type JobRow } from './store.ts'

/** SQL of jobs while they are created at the provider, and while they are followed. */

/** Name of the training file at the provider. */
export function fileNameOf({ id }: JobKey): string {
  return `${id}.jsonl`
}

/** What a person can do if it is unknown whether the provider created the job. */
export function lookFor(
  job: Pick<JobRow, 'account_id' | 'id' | 'provider_label'>,
  fileId: string | null,
): string {
  const file = fileId === null ? fileNameOf(job) : `${fileId} (${fileNameOf(job)})`
  return `It is not known whether ${job.provider_label} made the job: look there for one that trains on the file ${file}, and cancel it; the file is kept there`
}

export interface DueJob extends JobRow, WorkItem {
  id: string
  /** Cleaning up was tried for a day. */
  isOld: boolean | null
}

/**
 * Jobs to follow: active ones once a minute, and ended ones whose file is to be deleted. Jobs of suspended and deleted
 * accounts are followed too, because jobs cost money and files have to be deleted. Creating a job takes four minutes at
 * most; after that its process must have died.
 */
export const dueJobs: WorkTable<DueJob> = {
  name: 'fine_tunes',
  isOpen: sql`
    item.next_sync_at is not null
    and (item.stage = 'created' or item.created_at < now() - interval '10 minutes')`,
  dueAt: 'next_sync_at',
  leaseSeconds: 60,
  isServed: sql`true`,
  columns: sql`
    claimed.*, case when drops_model then deleted_at else coalesce(finished_at, deleted_at) end
      < now() - interval '1 day' as "isOld"`,
  cast: jobTimes,
  settled: { columns: {} },
}

/**
 * Records that the file is uploaded and the create is about to be sent; it is never sent again.
 * False if the job was cancelled, deleted or abandoned meanwhile.
 */
export async function startCreating(
  database: Database,
  job: JobKey,
  fileId: string,
): Promise<boolean> {
  const { rows } = await sql`
    update fine_tunes
    set stage = 'creating', provider_file_id = ${fileId}, create_sent_at = now()
    where ${isJob(job)} and stage = 'uploading' and status = 'queued' and deleted_at is null
    returning id`.execute(database)
  return rows.length > 0
}

/**
 * Records the provider's job. False if the job was cancelled or deleted meanwhile, which stays so.
 */
export function finishCreating(
  database: Database,
  job: JobKey,
  providerJobId: string,
  change: JobChange,
): Promise<boolean> {
  const set = sql`provider_job_id = ${providerJobId}, polled_at = now(), ${columnsOf(change)}`
  const where = sql`stage = 'creating' and status = 'queued' and deleted_at is null`
  return endMaking(database, job, set, where)
}

/** Ends a job that was cancelled or deleted before the provider returned its id. */
export async function finishCancelled(
  database: Database,
  job: JobKey,
  { jobId, status }: { jobId: string; status: string },
): Promise<void> {
  await endMaking(database, job, sql`provider_job_id = ${jobId}, provider_status = ${status}`)
}

/**
 * Marks the creation of a job as failed because it is not known whether the provider made it. Its cost is unknown, and
 * its file is kept at the provider: the job may be training on it.
 */
export async function failLost(database: Database, job: JobKey, error: string): Promise<boolean> {
  const set = sql`
    provider_file_id = null, cost_usd = null, finished_at = coalesce(finished_at, (select now())), next_sync_at = now(),
    status = case when status = 'queued' then 'failed' else status end,
    error = case when status = 'queued' then ${error} end`
  return endMaking(database, job, set)
}

/**
 * Marks the creation of a job as failed, unless it was cancelled. The background loop deletes its
 * file.
 */
export async function failMaking(
  database: Database,
  job: JobKey,
  error: string,
  fileId: string | null = null,
): Promise<boolean> {
  const set = sql`
    provider_file_id = coalesce(${fileId}, provider_file_id), finished_at = coalesce(finished_at, (select now())), next_sync_at = now(),
    status = case when status = 'queued' then 'failed' else status end,
    error = case when status = 'queued' then ${error} end`
  return endMaking(database, job, set)
}

/**
 * Records that the uploaded file is deleted or abandoned; nothing is left to do for a finished job.
 */
export async function finishCleanUp(database: Database, job: JobKey): Promise<void> {
  await sql`delete from fine_tunes where ${isJob(job)} and deleted_at is not null`.execute(database)
  const set = sql`provider_file_id = null, next_sync_at = null`
  await endMaking(database, job, set, sql`finished_at is not null and deleted_at is null`)
}

async function endMaking(
  database: Database,
  job: JobKey,
  set: RawBuilder<unknown>,
  where = sql`stage <> 'created'`,
): Promise<boolean> {
  const { rows } = await sql`
    update fine_tunes set stage = 'created', ${set} where ${isJob(job)} and ${where}
    returning id`.execute(database)
  return rows.length > 0
}

/** Deletes a job that never got as far as its file; false if it was abandoned meanwhile. */
export async function forgetJob(database: Database, job: JobKey): Promise<boolean> {
  const { rows } = await sql`
    delete from fine_tunes where ${isJob(job)} and stage = 'uploading'
    returning id`.execute(database)
  return rows.length > 0
}
