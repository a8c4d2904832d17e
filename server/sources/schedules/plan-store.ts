import { sql } from 'kysely'
import { fewRows } from '../../db/fragments.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { aroundParts, asTime, eachPart, run, runEach } from '../../db/run.ts'
import { isUnreleasedCopy, isServed } from '../../work/claim.ts'
import { insertFirings, type NewFiring } from './firing-store.ts'
import type { Due } from './plan.ts'
import { schedules, type ScheduleRow } from './store.ts'

/**
 * SQL of planning: reads due schedules and converts their times to firings. The statement that
 * inserts a firing also moves its schedule on, if the schedule has not changed since it was read.
 * So each time is planned once, even if a process dies.
 */

/** An arbitrary constant: the advisory lock of planning and claiming. */
const startLock = 0x6d776873

export interface DueSchedule extends ScheduleRow {
  accountId: string
  revision: number
  next_due_at: Date
  /** By the database's clock. */
  now: Date
  /** Times up to this one never start; null if no epoch is in doubt. */
  doubtAt: Date | null
}

/** Schedules planned at once, chosen by turns among accounts from this many of the earliest. */
const plannedAtOnce = 200
const candidates = 2_000

/**
 * Plans and claims under a lock that one process holds at a time; false if another process has it.
 */
export async function whileStarting(
  database: Database,
  work: (transaction: Transaction) => Promise<void>,
): Promise<boolean> {
  return aroundParts(database, async (transaction) => {
    const { rows } = await sql<{ ok: boolean }>`
      select pg_try_advisory_xact_lock(${sql.lit(startLock)}) and not ${isUnreleasedCopy} as ok`.execute(
      transaction,
    )
    if (rows[0]?.ok !== true) return false
    await work(transaction)
    return true
  })
}

/** Due schedules, by turns among accounts. */
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

export interface Planned {
  schedule: DueSchedule
  firings: NewFiring[]
  next: Due | undefined
}

/**
 * Inserts the firings of schedules that have not changed since they were read, and moves those on.
 * Returns the ids of these schedules.
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
