import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { asTime, eachPart, run } from '../../db/run.ts'
import { joinRun } from '../../engine/reads/runs.ts'
import { mayWork } from '../../work/claim.ts'
import { outcomeColumns, type WorkTable } from '../../work/table.ts'
import type { Person } from '../../engine/run/fields.ts'
import type { RunErrorCode, RunStatus } from '../../engine/run/run.ts'
import { schedules, type ScheduleRow } from './store.ts'

/** SQL of firings. */

const leaseSeconds = 30

export interface NewFiring {
  id: string
  kind: 'scheduled' | 'manual' | 'backfill'
  due_at: Date
  missed_until: Date | null
  status: 'due' | 'missed'
  why: string | null
  run_id: string | null
  asked_by?: Person
}

/** Limit of stored firings of one schedule. */
const keptFirings = 1_000

/**
 * CTEs that insert the firings of `schedulesOf`, numbered from its count, for times that have none
 * yet, and delete as many of the oldest.
 */
export function insertFirings(
  schedulesOf: RawBuilder<unknown>,
  claimedSeconds = 0,
): RawBuilder<unknown> {
  return sql`
    inserted as (
      insert into schedule_firings
        (account_id, id, schedule_id, number, kind, due_at, missed_until, status, why, run_id, asked_by,
         next_try_at, settled_at)
      select part.account_id, firing.id, part.id,
             part.before + row_number() over (partition by part.account_id, part.id order by firing.due_at, firing.id),
             firing.kind, firing.due_at, firing.missed_until, firing.status, firing.why, firing.run_id, firing.asked_by,
             case when firing.status = 'due' then now() + ${sql.lit(claimedSeconds)} * interval '1 second' end,
             case when firing.status <> 'due' then now() end
      from ${schedulesOf} as part
      cross join lateral json_to_recordset(part.firings) as firing
        (id text, kind text, due_at timestamptz, missed_until timestamptz, status text, why text, run_id text,
         asked_by jsonb)
      on conflict do nothing
      returning account_id, id
    ), pruned as (
      delete from schedule_firings as firing
      using ${schedulesOf} as part
      where firing.account_id = part.account_id and firing.schedule_id = part.id
        and firing.number <= part.before + json_array_length(part.firings) - ${sql.lit(keptFirings)}
        and firing.status <> 'due'
    )`
}

/**
 * Adds firings of a manual start or a backfill; `isClaimed` if the caller starts them itself. A
 * time that already has a firing keeps it. Returns the ids of the new ones.
 */
export async function addFirings(
  database: Database | Transaction,
  accountId: string,
  scheduleId: string,
  firings: NewFiring[],
  { isClaimed = false } = {},
): Promise<string[]> {
  const query = sql<{ id: string }>`
    with part as (
      update schedules set firing_count = firing_count + ${firings.length}::int
      where account_id = ${accountId} and id = ${scheduleId}
      returning account_id, id, firing_count - ${firings.length}::int as before,
                ${JSON.stringify(firings)}::json as firings
    ), ${insertFirings(sql`part`, isClaimed ? leaseSeconds : 0)}
    select id from inserted`
  return (await run(database, accountId, query)).map(({ id }) => id)
}

/** Makes skipped and missed times due again, as firings of a backfill. Returns how many. */
export async function reviveFirings(
  database: Database | Transaction,
  accountId: string,
  scheduleId: string,
  firings: NewFiring[],
): Promise<number> {
  const query = sql`
    update schedule_firings as firing
    set status = 'due', kind = 'backfill', why = null, waits = false, tries = 0, next_try_at = now(),
        settled_at = null, missed_until = null, run_id = wanted.run_id, asked_by = wanted.asked_by
    from json_to_recordset(${JSON.stringify(firings)}::json) as wanted (due_at timestamptz, run_id text, asked_by jsonb)
    where firing.account_id = ${accountId} and firing.schedule_id = ${scheduleId}
      and firing.due_at = wanted.due_at and firing.kind <> 'manual'
      and firing.status in ('skipped', 'missed')
    returning 1 as one`
  return (await run(database, accountId, query)).length
}

export interface ClaimedFiring {
  accountId: string
  id: string
  /** Id of the schedule. */
  lane: string
  kind: 'scheduled' | 'manual' | 'backfill'
  dueAt: Date
  runId: string
  /** It waited for the previous run, so it may start late. */
  waits: boolean
  /** Why it waited before. */
  why: string | null
  tries: number
  ageSeconds: number
  /** Who asked for the backfill. */
  askedBy: Person | null
  createdAt: Date
  now: Date
  doubtAt: Date | null
  /** The current schedule, with times as JSON strings. */
  schedule: ScheduleRow
  /** Runs of earlier firings, newest first. */
  recent: RecentRun[]
}

export interface RecentRun {
  id: string
  status: RunStatus
  error_code: RunErrorCode | null
  /** It started after the schedule was created or last resumed. */
  counts: boolean
}

/** Recent runs that the overlap rule and failure count consider. */
const recentRuns = 20

/** The recent runs of a row of `schedules`, as JSON. */
function recentOf(
  account: RawBuilder<unknown>,
  schedule: RawBuilder<unknown>,
): RawBuilder<RecentRun[]> {
  return sql<RecentRun[]>`coalesce((
    select json_agg(json_build_object('id', runs.id, 'status', runs.status, 'error_code', runs.error_code,
                                      'counts', earlier.settled_at >= schedules.resumed_at)
                    order by earlier.due_at desc, earlier.id desc)
    from (
      select * from schedule_firings as firing
      where firing.account_id = ${account} and firing.schedule_id = ${schedule}
        and firing.status = 'fired'
      order by firing.due_at desc, firing.id desc limit ${sql.lit(recentRuns)}) as earlier
    ${joinRun('earlier')} where runs.id is not null), '[]')`
}

export interface FailingSchedule {
  accountId: string
  id: string
  pauseAfter: number
  recent: RecentRun[]
}

/** How long after its end a failed run is looked at; the next firing looks at all of them. */
const failedWithin = '10 minutes'
const mostFailing = 500

/** Schedules that pause themselves after failures, and whose last run has failed just now. */
export async function readFailing(database: Database): Promise<FailingSchedule[]> {
  const found: FailingSchedule[] = []
  const source = sql`schedules where status = 'active' and pause_after_failures is not null`
  await eachPart(database, source, async (scope, connection) => {
    const query = sql<FailingSchedule>`
      select schedules.account_id as "accountId", schedules.id,
             schedules.pause_after_failures as "pauseAfter",
             ${recentOf(sql`schedules.account_id`, sql`schedules.id`)} as recent
      from schedules
      cross join lateral (
        select * from schedule_firings as firing
        where firing.account_id = schedules.account_id and firing.schedule_id = schedules.id
          and firing.status = 'fired'
        order by firing.due_at desc, firing.id desc limit 1) as earlier
      ${joinRun('earlier')}
      where schedules.status = 'active' and schedules.pause_after_failures is not null
        and ${mayWork('schedules')}
        and runs.status = 'failed' and runs.finished_at > now() - ${sql.lit(failedWithin)}::interval
      limit ${sql.lit(mostFailing)}`
    return found.push(...(await run(connection, scope, query)))
  })
  return found
}

/** Firings as work: one of a schedule at a time, the earliest first. */
export const firings: WorkTable<ClaimedFiring> = {
  name: 'schedule_firings',
  isOpen: sql`item.status = 'due'`,
  dueAt: 'next_try_at',
  leaseSeconds,
  lane: { column: 'schedule_id', atOnce: 1, isOrdered: true },
  order: ['due_at', 'id'],
  columns: sql`
    claimed.kind, claimed.due_at as "dueAt", claimed.run_id as "runId", claimed.waits,
    claimed.created_at as "createdAt", claimed.why, claimed.tries, claimed.asked_by as "askedBy",
    extract(epoch from now() - claimed.due_at)::float8 as "ageSeconds", now()::timestamptz(3) as now,
    (select max(began_at) from epochs where in_doubt) as "doubtAt",
    (select row_to_json(shown) from (select ${schedules.fields}) as shown) as schedule,
    ${recentOf(sql`claimed.account_id`, sql`claimed.schedule_id`)} as recent`,
  joins: sql`
    join schedules on schedules.account_id = claimed.account_id and schedules.id = claimed.schedule_id`,
  cast: { dueAt: asTime, createdAt: asTime, now: asTime, doubtAt: asTime },
  settled: { columns: { ...outcomeColumns, waits: 'boolean' }, at: 'settled_at' },
}

/** How many firings of a schedule are due and not started. */
export async function countWaiting(
  database: Database,
  accountId: string,
  scheduleId: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from schedule_firings
    where account_id = ${accountId} and schedule_id = ${scheduleId} and status = 'due'`.execute(
    database,
  )
  return rows[0]?.count ?? 0
}
