import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/client.ts'
import { isOurs, isReady, jobTable } from './job-table.ts'
import type { Job } from './queue.ts'

/**
 * Takes ready jobs by fair share. pg-boss's own fetch reads jobs in the order of their age, over all
 * groups: behind a group with 100,000 jobs others wait, and every fetch reads past those jobs while
 * the group is at its limit. This one asks each group for its oldest jobs, by two index probes: those
 * that were taken before, whose run is half done, and behind them the others. It gives turns to groups
 * with the least in progress. `docs/decisions/013` has figures.
 */
export interface Fetched {
  jobs: Job[]
  /** Nothing else could be taken now. */
  isAll: boolean
  /** A group is at its limit: it may have more, which begins when one of its jobs ends. */
  isHeld: boolean
}

export interface Page extends Fetched {
  /** The group behind which the next page begins; empty after the last one. */
  next: string
}

/** Groups that one statement looks at. */
const groupsPerPage = 200
/** Jobs of one group that a statement takes at most. */
const jobsPerGroup = 128

/** Takes jobs of groups behind the one named by `after`, and marks them as pg-boss's fetch does. */
export async function takeReadyJobs(
  database: Database,
  { count, perGroup, after }: { count: number; perGroup: number; after: string },
): Promise<Page> {
  const { rows } = await sql<Row>`
    with recursive waiting (group_id, number) as (
      (select group_id, 1 from ${jobTable} where ${isReady} and group_id > ${after}
       order by group_id limit 1)
      union all
      select (select job.group_id from ${jobTable} as job
              where ${isReady} and job.group_id > waiting.group_id
              order by job.group_id limit 1), waiting.number + 1
      from waiting
      where waiting.group_id is not null and waiting.number < ${sql.lit(groupsPerPage)}
    ), active as materialized (
      select group_id, count(*)::int as count from ${jobTable}
      where ${isOurs} and state = 'active' and group_id is not null group by group_id
    ), share as materialized (
      select waiting.group_id, coalesce(active.count, 0) as active,
             ${perGroup}::int - coalesce(active.count, 0) as room
      from waiting left join active using (group_id) where waiting.group_id is not null
    ), chosen as materialized (
      select one.id, one.number = share.room as fills
      from share cross join lateral (
        select id, start_after, row_number() over (order by priority desc, start_after) as number
        from (${oldest(1, count)} union all ${oldest(0, count)}) as few
        order by number limit greatest(0, least(share.room, ${count}::int))
      ) as one
      order by share.active + one.number, one.start_after limit ${count}::int
    ), taken as (
      update ${jobTable}
      set state = 'active', priority = 1, started_on = now(), heartbeat_on = now(),
          retry_count = case when started_on is null then retry_count else retry_count + 1 end
      -- Arrays, because the planner would read the whole table for a join with an unknown number.
      where ${isOurs} and id = any(array(
        select id from ${jobTable}
        where ${isOurs} and id = any(array(select id from chosen)) and state < 'active'
        for update skip locked))
      returning id, data ->> 'key' as key, (data ->> 'generation')::int as generation
    )
    select case when (select count(*) from waiting) < ${sql.lit(groupsPerPage)} then ''
             else (select max(group_id) from waiting) end as next,
           (select count(*)::int from chosen) as chosen,
           exists (select from share where room <= 0)
             or exists (select from chosen where fills) as "isHeld",
           taken.id, taken.key, taken.generation
    from (select) as one left join taken on true`.execute(database)
  // There is a row also when nothing was taken.
  const { next, chosen, isHeld } = rows[0] as Row
  const jobs = rows.flatMap(({ id, key, generation }) =>
    id === null || key === null || generation === null ? [] : [{ id, key, generation }],
  )
  return {
    jobs,
    // When another process takes all that were chosen, this one is not to run after it.
    isAll: chosen < count || jobs.length === 0,
    isHeld,
    next,
  }
}

interface Row {
  next: string
  chosen: number
  isHeld: boolean
  id: string | null
  key: string | null
  generation: number | null
}

/** The oldest ready jobs of a group, begun before (1) or not (0). */
function oldest(priority: 0 | 1, count: number): RawBuilder<unknown> {
  return sql`
    (select * from (
       select id, priority, start_after from ${jobTable}
       where ${isReady} and group_id = share.group_id and priority = ${sql.lit(priority)}
         and start_after <= now()
       order by start_after limit greatest(0, least(share.room, ${count}::int))) as oldest
     -- A number that the planner sees: it would take the other one for a tenth of all jobs.
     limit ${sql.lit(jobsPerGroup)})`
}

/** Any number of ours: the key of "somebody makes the index". */
const indexLock = 0x6d776869

/** The index that serves the statement above. Safe to call from several processes. */
export async function installReadyIndex(database: Database): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(indexLock)})`.execute(transaction)
    const { rows } = await sql<{ exists: boolean }>`
      select to_regclass('pgboss.job_ready_by_group') is not null as exists`.execute(transaction)
    // Asked first: even "if not exists" waits for those who write jobs.
    if (rows[0]?.exists === true) return
    await sql`create index job_ready_by_group on ${jobTable} (group_id, priority, start_after)
              where ${isReady}`.execute(transaction)
  })
}
