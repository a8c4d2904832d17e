import { sql, type RawBuilder } from 'kysely'
import { jobTable, queueName, queueTable } from './job-table.ts'

/**
 * Writes jobs as pg-boss's insert does, for the fields that are used here, as parts of a statement:
 * what makes a run ready and the job that wakes it are one statement and one round trip.
 */
/** On which workers listen for new jobs. */
export const channel = 'muster_jobs'

/** Who notifies: the pool of a statement. */
export const sender = sql<string>`current_setting('muster.pool', true)`

/**
 * The body of a CTE that writes a job for each row of `source`, a CTE with the columns `key`,
 * `generation`, `group_id` and `delay_seconds`. A later generation has begun, and goes first.
 */
export function writeJobs(source: string): RawBuilder<unknown> {
  return sql`
    insert into ${jobTable} (name, data, priority, group_id, start_after, keep_until, expire_seconds,
                          deletion_seconds, retry_limit, retry_delay, retry_backoff, policy,
                          heartbeat_seconds)
    select queue.name, jsonb_build_object('key', new.key, 'generation', new.generation),
           (new.generation > 0)::int, new.group_id, starts.at,
           starts.at + make_interval(secs => queue.retention_seconds), queue.expire_seconds,
           queue.deletion_seconds, queue.retry_limit, queue.retry_delay, queue.retry_backoff,
           queue.policy, queue.heartbeat_seconds
    from ${sql.ref(source)} as new
    join ${queueTable} on queue.name = ${sql.lit(queueName)}
    cross join lateral (select now() + make_interval(secs => new.delay_seconds) as at) as starts
    returning start_after`
}

/** Tells the workers of other processes, unless none of the jobs that `source` wrote is ready. */
export function notifyOf(source: string): RawBuilder<unknown> {
  return sql`
    select pg_notify(${sql.lit(channel)}, ${sender}) from ${sql.ref(source)}
    where start_after <= now() limit 1`
}
