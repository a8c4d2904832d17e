import { sql, type RawBuilder } from 'kysely'
import { fewRows } from '../db/batch.ts'
import type { Database, Transaction } from '../db/client.ts'
import { asTime, eachPart, execute, run, runEach } from '../db/run.ts'
import { joinRun } from '../engine/reads/runs.ts'
import { isHeldBack, isServed } from '../engine/queue/jobs.ts'
import type { RunErrorCode, RunStatus } from '../engine/run/run.ts'
import type { Due } from './plan.ts'
import { schedules, type ScheduleRow } from './store.ts'

/**
 * SQL of the workers: which schedules are due, their firings, and which firings this process may start now. A
 * moment becomes a row in the statement that moves the schedule on, if it is still the schedule that was read: so
 * it is planned once, whatever dies. A firing that is claimed and not settled is free again after its lease.
 */

/** A firing that is claimed is free again after this time, should its process have died. */
const leaseSeconds = 30

/** Any number of ours: the key of the lock for planning and claiming. */
const startLock = 0x6d776873

export interface DueSchedule extends ScheduleRow {
  accountId: string
  revision: number
  next_due_at: Date
  /** By the database's clock. */
  now: Date
  /** What was due up to then never starts; null if nothing is in doubt. */
  doubtAt: Date | null
}

/** Schedules that one look plans, and those that it chooses from. */
const plannedAtOnce = 200
const candidates = 2_000

/**
 * Works under the lock of all that start firings: one process at a time, while the others get nothing. False
 * without the lock.
 */
export async function whileStarting(
  database: Database,
  work: (transaction: Transaction) => Promise<void>,
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ ok: boolean }>`
      select pg_try_advisory_xact_lock(${sql.lit(startLock)}) and not ${isHeldBack} as ok`.execute(
      transaction,
    )
    if (rows[0]?.ok !== true) return false
    await work(transaction)
    return true
  })
}

/** Schedules that are due, in turn among the accounts. */
export async function readDue(database: Database, within: Transaction): Promise<DueSchedule[]> {
  const found: DueSchedule[] = []
  await eachPart(
    database,
    sql`schedules where next_start_at <= now() and ${isServed('schedules')}`,
    async (scope, connection) => found.push(...(await run(connection, scope, due, times))),
    { within },
  )
  return found
}

const times = Object.fromEntries(
  ['at', 'ends_at', 'counts_from', 'next_due_at', 'created_at', 'updated_at', 'now', 'doubtAt'].map(
    (name) => [name, asTime],
  ),
)

const due = sql<DueSchedule>`
  with candidate as materialized (
    select schedules.*, row_number() over (partition by account_id order by next_start_at) as turn
    from (
      select * from schedules where next_start_at <= now() and ${isServed('schedules')}
      order by next_start_at limit ${sql.lit(candidates)}) as schedules
  )
  select schedules.account_id as "accountId", schedules.revision, ${schedules.fields},
         now()::timestamptz(3) as now,
         (select max(began_at) from epochs where in_doubt) as "doubtAt"
  from candidate as schedules
  order by turn, next_start_at limit ${sql.lit(plannedAtOnce)}`

export interface NewFiring {
  id: string
  kind: 'scheduled' | 'manual' | 'backfill'
  due_at: Date
  missed_until: Date | null
  status: 'due' | 'missed'
  why: string | null
  run_id: string | null
}

export interface Planned {
  schedule: DueSchedule
  firings: NewFiring[]
  next: Due | undefined
}

/** Firings that are kept of a schedule. */
const keptFirings = 1_000

/**
 * Writes the firings of schedules that have not changed since they were read, and moves those on. Returns the ids of
 * these schedules.
 */
export async function storePlans(
  database: Database,
  within: Transaction,
  plans: Planned[],
): Promise<Set<string>> {
  const items = plans.map((plan) => ({ ...plan, accountId: plan.schedule.accountId }))
  const moved = await runEach(database, items, async (part) => {
    const input = part.map(({ schedule, firings, next }, number) => ({
      number,
      account_id: schedule.accountId,
      id: schedule.id,
      revision: schedule.revision,
      due_at: schedule.next_due_at,
      next_due_at: next?.dueAt ?? null,
      next_start_at: next?.startsAt ?? null,
      count: firings.length,
      firings,
    }))
    const query = sql<{ id: string }>`
      with input as materialized (
        select * from json_to_recordset(${JSON.stringify(input)}::json) as input
          (number int, account_id text, id text, revision int, due_at timestamptz, next_due_at timestamptz,
           next_start_at timestamptz, count int, firings json)
        where ${fewRows}
      ), moved as (
        update schedules
        set next_due_at = input.next_due_at, next_start_at = input.next_start_at,
            status = case when input.next_due_at is null then 'ended' else schedules.status end,
            firing_count = firing_count + input.count
        from input
        where schedules.account_id = input.account_id and schedules.id = input.id
          and schedules.revision = input.revision and schedules.next_due_at = input.due_at
        returning schedules.account_id, schedules.id, firing_count - input.count as before, input.firings
      ), ${insertFirings(sql`moved`)}
      select id from moved`
    return run(within, part, query)
  })
  return new Set(moved.map(({ id }) => id))
}

/**
 * Inserts the firings of the schedules of a part, whose number they follow, unless the moment has one, and deletes
 * as many of the oldest.
 */
function insertFirings(schedulesOf: RawBuilder<unknown>, claimedSeconds = 0): RawBuilder<unknown> {
  return sql`
    inserted as (
      insert into schedule_firings
        (account_id, id, schedule_id, number, kind, due_at, missed_until, status, why, run_id,
         next_try_at, settled_at)
      select part.account_id, firing.id, part.id,
             part.before + row_number() over (partition by part.account_id, part.id order by firing.due_at, firing.id),
             firing.kind, firing.due_at, firing.missed_until, firing.status, firing.why, firing.run_id,
             case when firing.status = 'due' then now() + ${sql.lit(claimedSeconds)} * interval '1 second' end,
             case when firing.status <> 'due' then now() end
      from ${schedulesOf} as part
      cross join lateral json_to_recordset(part.firings) as firing
        (id text, kind text, due_at timestamptz, missed_until timestamptz, status text, why text, run_id text)
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
 * Adds firings that a person asked for, `isClaimed` if the caller starts them itself. Returns the ids of those that
 * are new: a moment that has a firing keeps it.
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

/** Moments that were skipped or missed are due again, as those of a backfill. Returns how many. */
export async function reviveFirings(
  database: Database | Transaction,
  accountId: string,
  scheduleId: string,
  firings: NewFiring[],
): Promise<number> {
  const query = sql`
    update schedule_firings as firing
    set status = 'due', kind = 'backfill', why = null, waits = false, next_try_at = now(),
        settled_at = null, missed_until = null, run_id = wanted.run_id
    from json_to_recordset(${JSON.stringify(firings)}::json) as wanted (due_at timestamptz, run_id text)
    where firing.account_id = ${accountId} and firing.schedule_id = ${scheduleId}
      and firing.due_at = wanted.due_at and firing.kind <> 'manual'
      and firing.status in ('skipped', 'missed')
    returning 1 as one`
  return (await run(database, accountId, query)).length
}

export interface ClaimedFiring {
  accountId: string
  id: string
  kind: 'scheduled' | 'manual' | 'backfill'
  dueAt: Date
  runId: string
  /** It waits for the run before it, so it may be late. */
  waits: boolean
  createdAt: Date
  now: Date
  doubtAt: Date | null
  /** As it is now; its times went through JSON. */
  schedule: ScheduleRow
  /** Runs of earlier firings, the newest first. */
  recent: RecentRun[]
}

export interface RecentRun {
  id: string
  status: RunStatus
  error_code: RunErrorCode | null
  /** It was started since the schedule was made or resumed. */
  counts: boolean
}

/** Runs that are looked at for the overlap and for failures in a row. */
const recentRuns = 20

/** Claims firings that are due, in turn among the accounts, and one of a schedule at a time: the one that was due first. */
export async function claimFirings(
  database: Database,
  within: Transaction,
  count: number,
): Promise<ClaimedFiring[]> {
  const claimed: ClaimedFiring[] = []
  await eachPart(
    database,
    sql`schedule_firings where status = 'due' and next_try_at <= now()`,
    async (scope, connection) => {
      const left = count - claimed.length
      if (left <= 0) return 0
      return claimed.push(...(await run(connection, scope, claiming(left), claimedTimes)))
    },
    { within },
  )
  return claimed
}

const claimedTimes = { dueAt: asTime, createdAt: asTime, now: asTime, doubtAt: asTime }

function claiming(count: number): RawBuilder<ClaimedFiring> {
  return sql<ClaimedFiring>`
    with candidate as materialized (
      select firing.*, firing.ctid as place,
             row_number() over (partition by account_id, schedule_id order by due_at, id) as first,
             row_number() over (partition by account_id order by next_try_at, due_at) as turn
      from (
        select *, ctid from schedule_firings
        where status = 'due' and next_try_at <= now() and ${isServed('schedule_firings')}
        order by next_try_at limit ${sql.lit(candidates)}) as firing
    ), locked as materialized (
      -- Passes over what another process is recording.
      select ctid as place from schedule_firings
      where ctid = any(array(
          select place from candidate
          where first = 1 and not exists (
            select from schedule_firings as other
            where other.account_id = candidate.account_id and other.schedule_id = candidate.schedule_id
              and other.status = 'due' and other.next_try_at > now())
          order by turn limit ${count}::int))
        and status = 'due' and next_try_at <= now()
      for update skip locked
    ), claimed as (
      update schedule_firings as firing
      set next_try_at = now() + ${sql.lit(leaseSeconds)} * interval '1 second'
      where ctid = any(array(select place from locked))
      returning *
    )
    select claimed.account_id as "accountId", claimed.id, claimed.kind, claimed.due_at as "dueAt",
           claimed.run_id as "runId", claimed.waits, claimed.created_at as "createdAt",
           now()::timestamptz(3) as now, (select max(began_at) from epochs where in_doubt) as "doubtAt",
           (select row_to_json(shown) from (select ${schedules.fields}) as shown) as schedule,
           coalesce((
             select json_agg(json_build_object('id', runs.id, 'status', runs.status, 'error_code', runs.error_code,
                                               'counts', earlier.settled_at >= schedules.resumed_at)
                             order by earlier.due_at desc, earlier.id desc)
             from (
               select * from schedule_firings as firing
               where firing.account_id = claimed.account_id and firing.schedule_id = claimed.schedule_id
                 and firing.status = 'fired'
               order by firing.due_at desc, firing.id desc limit ${sql.lit(recentRuns)}) as earlier
             ${joinRun('earlier')} where runs.id is not null), '[]') as recent
    from claimed
    join schedules on schedules.account_id = claimed.account_id and schedules.id = claimed.schedule_id`
}

export type Outcome =
  | { status: 'fired' }
  | { status: 'skipped' | 'missed'; why: string }
  /** Tried again: the run before it has not ended. */
  | { status: 'due'; why: string; waitSeconds: number }

export interface Settled {
  accountId: string
  id: string
  outcome: Outcome
}

/** Records what became of firings. A run that was made counts, whatever another process thought of it. */
export async function settleFirings(
  database: Database,
  settled: Settled[],
  within: Database | Transaction = database,
): Promise<void> {
  // In one order, so that two processes never wait for each other.
  const sorted = settled.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  await runEach(database, sorted, async (part) => {
    const input = part.map(({ accountId, id, outcome }, number) => ({
      number,
      account_id: accountId,
      id,
      status: outcome.status,
      why: outcome.status === 'fired' ? null : outcome.why,
      wait: outcome.status === 'due' ? outcome.waitSeconds : null,
    }))
    const query = sql`
      update schedule_firings as firing
      set status = input.status, why = input.why, waits = input.status = 'due',
          next_try_at = now() + input.wait * interval '1 second',
          settled_at = case when input.status <> 'due' then now() end
      from (
        select * from json_to_recordset(${JSON.stringify(input)}::json) as input
          (number int, account_id text, id text, status text, why text, wait int)
        where ${fewRows}) as input
      where firing.account_id = input.account_id and firing.id = input.id
        and (firing.status = 'due' or input.status = 'fired')`
    await execute(within, part, query)
    return []
  })
}

/** Firings of a schedule that wait for the one before. */
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
