import { sql } from 'kysely'
import type { Authors } from '../../accounts/authors.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { behind, toPage, type Cursor, type Page } from '../../db/keyset.ts'
import { OwnedTable } from '../../db/owned-table.ts'
import { eachOf, pageOf } from '../../db/page.ts'
import { joinRun, startedRun } from '../../engine/reads/runs.ts'
import type { Timing } from './clock/next-due.ts'
import type { Rules } from './plan.ts'
import { firingStatuses, scheduleColumns, type Firing, type Schedule } from './schema.ts'

/**
 * SQL of schedules and of the list of their firings; `firing-store.ts` has the SQL that starts
 * runs.
 */
export interface ScheduleRow extends Omit<Schedule, 'in_words' | 'warnings' | 'last_firing'> {
  counts_from: Date
  authors: Authors | null
}

export const schedules = new OwnedTable<ScheduleRow>('schedules', [
  ...scheduleColumns,
  'counts_from',
  'authors',
])

export function timingOf(
  row: Pick<ScheduleRow, 'cron' | 'time_zone' | 'every_seconds' | 'at' | 'counts_from'>,
): Timing {
  if (row.at !== null) return { kind: 'at', at: new Date(row.at) }
  if (row.every_seconds !== null) {
    return {
      kind: 'every',
      seconds: row.every_seconds,
      from: new Date(row.counts_from),
    }
  }
  return { kind: 'cron', cron: row.cron ?? '', timeZone: row.time_zone }
}

export function rulesOf(row: ScheduleRow): Rules {
  return {
    id: row.id,
    timing: timingOf(row),
    endsAt: row.ends_at && new Date(row.ends_at),
    jitterSeconds: row.jitter_seconds,
    catchUp: row.catch_up,
    catchUpSeconds: row.catch_up_seconds,
  }
}

/** Makes workers discard what they planned with the previous definition. */
export async function raiseRevision(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<void> {
  await sql`
    update schedules set revision = revision + 1
    where account_id = ${accountId} and id = ${id}`.execute(transaction)
}

/** Resets the count of failed runs. */
export async function markResumed(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<void> {
  await sql`
    update schedules set resumed_at = now()
    where account_id = ${accountId} and id = ${id}`.execute(transaction)
}

export async function readNow(database: Database | Transaction): Promise<Date> {
  const { rows } = await sql<{
    now: Date
  }>`select clock_timestamp()::timestamptz(3) as now`.execute(database)
  return rows[0]?.now as Date
}

/** A firing that is due has a reserved run id, which is not shown. */
const firingFields = sql`
  firing.id, firing.kind, firing.due_at, firing.missed_until, firing.status, firing.why,
  ${startedRun('firing', 'fired')}, firing.settled_at`

const newest = sql`due_at desc, id desc`

/** Firings of a schedule, newest first. */
export async function listFirings(
  database: Database,
  accountId: string,
  scheduleId: string,
  { limit, after }: { limit: number; after: Cursor | undefined },
  status: Firing['status'] | undefined,
): Promise<Page<Firing>> {
  const page = pageOf({
    table: 'schedule_firings',
    where: sql`account_id = ${accountId} and schedule_id = ${scheduleId} and ${behind('due_at', after)}`,
    each: eachOf('status', status, firingStatuses),
    order: newest,
    limit: limit + 1,
  })
  const { rows } = await sql<Firing>`
    select ${firingFields} from ${page} as firing ${joinRun('firing', accountId)}
    order by firing.due_at desc, firing.id desc`.execute(database)
  return toPage(rows, limit, (row) => row.due_at)
}

export async function findFiring(
  database: Database,
  accountId: string,
  id: string,
): Promise<Firing | undefined> {
  const { rows } = await sql<Firing>`
    select ${firingFields} from schedule_firings as firing
    ${joinRun('firing', accountId)}
    where firing.account_id = ${accountId} and firing.id = ${id}`.execute(database)
  return rows[0]
}

/** The newest firing of each schedule, by schedule. */
export async function readLastFirings(
  database: Database | Transaction,
  accountId: string,
  ids: string[],
): Promise<Map<string, Firing>> {
  const last = pageOf({
    table: 'schedule_firings',
    where: sql`account_id = ${accountId} and schedule_id = wanted.id`,
    each: eachOf('status', undefined, firingStatuses),
    order: newest,
    limit: 1,
  })
  const { rows } = await sql<Firing & { schedule_id: string }>`
    select ${firingFields}, firing.schedule_id
    from unnest(${ids}::text[]) as wanted (id)
    cross join lateral ${last} as firing
    ${joinRun('firing', accountId)}`.execute(database)
  return new Map(rows.map(({ schedule_id: id, ...firing }) => [id, firing]))
}

/** The latest ended run of a schedule; null for none. */
export async function readLastRun(
  database: Database,
  accountId: string,
  scheduleId: string,
): Promise<object | null> {
  const { rows } = await sql<object>`
    select runs.id, runs.status, runs.output, runs.output_json, runs.error, runs.finished_at
    from (
      select * from schedule_firings
      where account_id = ${accountId} and schedule_id = ${scheduleId} and status = 'fired'
      order by due_at desc, id desc limit ${sql.lit(lookedBack)}) as firing
    ${joinRun('firing', accountId)}
    where runs.finished_at is not null
    order by firing.due_at desc, firing.id desc limit 1`.execute(database)
  return rows[0] ?? null
}

/** Limit of unfinished runs that are skipped in search of a finished one. */
const lookedBack = 20
