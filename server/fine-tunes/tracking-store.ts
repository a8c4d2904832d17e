import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../db/client.ts'
import { type SweepScope, eachPart, run } from '../db/run.ts'
import type { JobChange } from './job.ts'
import { columnsOf, isJob, jobTimes, type JobKey, type JobRow } from './store.ts'

/**
 * SQL of jobs while they are made at the provider and followed by the background. `uploading` and
 * `creating` are fenced by `attempt`: whoever takes a job over raises it.
 */

/** A job as this process took it over. */
type FencedJob = JobKey & Pick<JobRow, 'attempt'>

function isOwn(job: FencedJob): RawBuilder<boolean> {
  return sql`(${isJob(job)} and attempt = ${job.attempt})`
}

/** While a process makes a job it says so again and again; another takes over when it stops. */
const leaseSeconds = 15
export const renewMs = 5_000

/** After this time a create that was sent and is not found at the provider never arrived. */
const createWindowSeconds = 120

/**
 * Jobs that are due, each for one process: those that are active once a minute. Not those that were
 * asked for within the last second. Who has waited longest comes first: an account has few jobs and
 * each goes to the back of the queue after each turn, so none holds up those of another.
 */
export async function claimDue(database: Database, count: number): Promise<DueJob[]> {
  const jobs: DueJob[] = []
  await eachPart(database, sql`fine_tunes where ${isDue}`, async (scope) => {
    const claimed = await claimDueOf(database, count - jobs.length, scope)
    return jobs.push(...claimed)
  })
  return jobs
}

const isDue = sql`
  next_sync_at <= now() and (polled_at is null or polled_at <= now() - interval '1 second')`

async function claimDueOf(database: Database, count: number, scope: SweepScope): Promise<DueJob[]> {
  const query = sql<DueJob>`
    update fine_tunes
    set next_sync_at = now() + interval '1 minute', polled_at = now(),
        attempt = attempt + (stage <> 'created')::int
    where (account_id, id) in (
      select account_id, id from fine_tunes
      where ${isDue}
      order by next_sync_at limit ${count}::int
      for update skip locked
    )
    returning *,
      coalesce(create_sent_at < (select now() - ${createWindowSeconds}::int * interval '1 second'), false)
        as "isCreateLost",
      case when drops_model then deleted_at else coalesce(finished_at, deleted_at) end
        < now() - interval '1 day' as "isOld",
      created_at < now() - interval '1 hour' as "isLate"`
  return run(database, scope, query, jobTimes)
}

export interface DueJob extends JobRow {
  /** The create was sent so long ago that it would show. */
  isCreateLost: boolean
  /** Cleaning up was tried for a day. */
  isOld: boolean | null
  /** Uploading was tried for an hour. */
  isLate: boolean
}

/** Keeps a job that is being made from being taken over. */
export async function renewLease(database: Database, job: FencedJob): Promise<void> {
  await sql`
    update fine_tunes set next_sync_at = now() + ${leaseSeconds}::int * interval '1 second'
    where ${isOwn(job)} and stage <> 'created'`.execute(database)
}

/** The training set, gzip of JSONL. */
export async function readDataset(database: Database, job: JobKey): Promise<Buffer | undefined> {
  const { rows } = await sql<{ body: Buffer }>`
    select body from fine_tune_datasets
    where account_id = ${job.account_id} and fine_tune_id = ${job.id}`.execute(database)
  return rows[0]?.body
}

/**
 * The file is uploaded and the create is about to be sent: from here on it is never sent again. False
 * where the job was cancelled, deleted or taken over meanwhile.
 */
export async function startCreating(
  database: Database,
  job: FencedJob,
  fileId: string,
): Promise<boolean> {
  const { rows } = await sql`
    update fine_tunes
    set stage = 'creating', provider_file_id = ${fileId}, create_sent_at = now()
    where ${isOwn(job)} and stage = 'uploading' and status = 'queued' and deleted_at is null
    returning id`.execute(database)
  return rows.length > 0
}

/** A job at the provider was made, or found. False for one that was cancelled or deleted meanwhile: it stays so. */
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

/** The end of a job that was cancelled or deleted before the provider had told its id. */
export async function finishCancelled(
  database: Database,
  job: JobKey,
  { jobId, status }: { jobId: string; status: string },
): Promise<void> {
  await endMaking(database, job, sql`provider_job_id = ${jobId}, provider_status = ${status}`)
}

/** There is no job at the provider and there will be none; one that was cancelled stays so. */
export async function failMaking(database: Database, job: JobKey, error: string): Promise<void> {
  const set = sql`
    finished_at = coalesce(finished_at, now()), next_sync_at = now(),
    status = case when status = 'queued' then 'failed' else status end,
    error = case when status = 'queued' then ${error} end`
  await endMaking(database, job, set)
}

/** The uploaded file is gone, or given up; nothing is left to do for a job that has ended. */
export async function finishCleanUp(database: Database, job: JobKey): Promise<void> {
  await sql`delete from fine_tunes where ${isJob(job)} and deleted_at is not null`.execute(database)
  const set = sql`provider_file_id = null, next_sync_at = null`
  await endMaking(database, job, set, sql`finished_at is not null and deleted_at is null`)
}

/** From `created` on the training set is no longer needed. */
async function endMaking(
  database: Database,
  job: JobKey,
  set: RawBuilder<unknown>,
  where = sql`stage <> 'created'`,
): Promise<boolean> {
  const query = sql`
    with ended as (
      update fine_tunes set stage = 'created', ${set} where ${isJob(job)} and ${where}
      returning account_id, id
    ), dropped as (
      delete from fine_tune_datasets as dataset using ended
      where dataset.account_id = ended.account_id and dataset.fine_tune_id = ended.id
    )
    select id from ended`
  const rows = await run(database, job.account_id, query)
  return rows.length > 0
}

/** Forgets a job that never got as far as its file; false where it was taken over meanwhile. */
export async function forgetJob(database: Database, job: FencedJob): Promise<boolean> {
  const { rows } = await sql`
    delete from fine_tunes where ${isOwn(job)} and stage = 'uploading'
    returning id`.execute(database)
  return rows.length > 0
}
