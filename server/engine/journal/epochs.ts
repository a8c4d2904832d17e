import { sql } from 'kysely'
import type { ClientBase } from 'pg'
import type { RunKey } from '../run/run.ts'
import { endOfWait } from '../run/clock.ts'
import type { RunEvent } from '../run/step.ts'

/*
 * SQL of epochs, which `server/start/detect-epochs.ts` explains, and what a new epoch changes in runs, over a
 * dedicated connection; and the events that the database acknowledged.
 */

/** A new connection that the pool has not handed out yet. */
export type Connection = Pick<ClientBase, 'query'>

/** Identity of a database and its server. */
export interface DatabaseIdentity {
  /** Null if the role lacks the permission to read it; so is the timeline. */
  systemIdentifier: string | null
  timeline: number | null
  /** Of the database in its server. Null in an epoch until a process has looked. */
  databaseOid: number | null
  databaseName: string | null
}

export interface CurrentEpoch extends DatabaseIdentity {
  number: number
  home: string | null
  deliveriesHeld: boolean
}

export type EpochReason = 'promoted' | 'restored' | 'copied'

const newestEpoch = `
  select number, system_identifier as "systemIdentifier", timeline, home,
         database_oid::float8 as "databaseOid", database_name as "databaseName",
         exists (select from muster.epochs where deliveries_held) as "deliveriesHeld"
  from muster.epochs order by number desc limit 1`

export async function readEpoch(connection: Connection): Promise<CurrentEpoch> {
  const { rows } = await connection.query<CurrentEpoch>(newestEpoch)
  return rows[0] as CurrentEpoch
}

/** Undefined on a standby, which takes no writes. */
export async function readIdentity(connection: Connection): Promise<DatabaseIdentity | undefined> {
  try {
    const { rows } = await connection.query<DatabaseIdentity>(`
      select system_identifier::text as "systemIdentifier",
             ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int as timeline,
             ${ownDatabase}
      from pg_control_system()`)
    return rows[0]
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === '55000') return undefined
    // The role may not read the server's identity.
    if (code !== '42501') throw error
    const { rows } = await connection.query<DatabaseIdentity>(
      `select null as "systemIdentifier", null as timeline, ${ownDatabase}
       where not pg_is_in_recovery()`,
    )
    return rows[0]
  }
}

const ownDatabase = `
  (select oid::bigint::float8 from pg_database where datname = current_database()) as "databaseOid",
  current_database()::text as "databaseName"`

/** Records the identity if no process has done so before. */
export async function storeIdentity(
  connection: Connection,
  { systemIdentifier, timeline, databaseOid, databaseName }: DatabaseIdentity,
  home: string | undefined,
): Promise<void> {
  await connection.query(
    `update muster.epochs
     set system_identifier = coalesce(system_identifier, $1), timeline = coalesce(timeline, $2),
         home = coalesce(home, $3), database_oid = coalesce(database_oid, $4),
         database_name = coalesce(database_name, $5)
     where number = (select max(number) from muster.epochs)`,
    [systemIdentifier, timeline, home ?? null, databaseOid, databaseName],
  )
}

/** Throws if the database is read-only. */
export async function refuseReadOnly(connection: Connection): Promise<void> {
  await connection.query('delete from muster.muster_migrations where false')
}

export interface NewEpoch {
  reason: EpochReason
  identity: DatabaseIdentity | undefined
  home: string | undefined
  /** Whether data may have been lost. */
  isInDoubt: boolean
}

/**
 * Starts the epoch after the given one, unless another process has done so. Workers lose the runs
 * that they execute: the fence of each is raised and its job is ready again. If data may have been
 * lost, open approvals are asked for again.
 */
export async function beginEpoch(
  connection: Connection,
  after: number,
  epoch: NewEpoch,
): Promise<void> {
  await connection.query('begin')
  try {
    await enterEpoch(connection, after, epoch)
    await connection.query('commit')
  } catch (error) {
    await connection.query('rollback')
    throw error
  }
}

/** The same inside an open transaction. */
export async function enterEpoch(
  connection: Connection,
  after: number,
  { reason, identity, home, isInDoubt }: NewEpoch,
): Promise<void> {
  const { rows } = await connection.query(
    `insert into muster.epochs
         (number, reason, system_identifier, timeline, home, in_doubt, deliveries_held,
          database_oid, database_name)
       values ($1, $2, $3, $4, $5, $6, $6, $7, $8) on conflict do nothing returning number`,
    [
      after + 1,
      reason,
      identity?.systemIdentifier ?? null,
      identity?.timeline ?? null,
      home ?? null,
      isInDoubt,
      identity?.databaseOid ?? null,
      identity?.databaseName ?? null,
    ],
  )
  if (rows.length > 0) {
    await releaseAll(connection, after + 1)
    await catchUp(connection)
    if (isInDoubt) await markActionsInDoubt(connection)
    await connection.query(
      `delete from muster.losses where noticed_at < now() - interval '90 days'`,
    )
  }
}

/**
 * Moves due times back if this server's clock is behind its predecessor's, so that they are not
 * late by the difference. The difference is seen from when workers last registered.
 */
async function catchUp(connection: Connection): Promise<void> {
  const { rows } = await connection.query<{ seconds: number }>(
    `with seen as (select max(seen_at) as last from muster.workers), corrected as (
       update muster.workers set seen_at = now() where seen_at > now())
     select extract(epoch from last - now())::float8 as seconds from seen where last > now()`,
  )
  const [behind] = rows
  if (behind === undefined) return
  for (const [table, column] of [
    ['jobs', 'ready_at'],
    ['webhook_deliveries', 'next_attempt_at'],
  ]) {
    // Converted to a time without zone: Citus rejects arithmetic that could depend on the session's
    // time zone.
    await connection.query(
      `update muster.${table}
       set ${column} = (${column} at time zone 'UTC' - make_interval(secs => $1)) at time zone 'UTC'
       where ${column} > now()`,
      [behind.seconds],
    )
  }
}

/** Records which of the events the database lacks, and returns them. */
export async function recordLostEvents(
  connection: Connection,
  epoch: number,
  events: AcknowledgedEvent[],
): Promise<AcknowledgedEvent[]> {
  const kept = await findStored(connection, events)
  const known = new Set(kept.map(({ id }) => id))
  const lost = events.filter(({ id }) => !known.has(id))
  if (lost.length > 0) {
    await connection.query(
      `insert into muster.losses (account_id, run_id, event_id, event_type, epoch)
       select "accountId", "runId", id, type, $2::int
       from json_to_recordset($1::json) as input ("accountId" text, "runId" text, id text, type text)
       on conflict do nothing`,
      [JSON.stringify(lost), epoch],
    )
  }
  return lost
}

/**
 * Makes all claimed runs ready again and fences off their workers by raising each attempt into the
 * new epoch.
 */
async function releaseAll(connection: Connection, epoch: number): Promise<void> {
  await connection.query(
    `update muster.runs set attempt = greatest(attempt + 1, $1)
       from muster.jobs
       where jobs.worker is not null and runs.account_id = jobs.account_id
         and runs.id = jobs.run_id`,
    [epoch * attemptsPerEpoch],
  )
  await connection.query(
    `update muster.jobs set worker = null, lease_until = null where worker is not null`,
  )
}

/**
 * Marks the open calls of all runs in doubt, as `markInDoubt` of `run/ledger.ts` does. A run that
 * waits for such an approval runs again, and asks again, this time about the unknown outcome. Runs
 * are locked before their calls, in the same order as by an answer.
 */
async function markActionsInDoubt(connection: Connection): Promise<void> {
  await connection.query(`
    with asking as (
      update muster.runs
      set status = 'running', pending = null, counted_to = now(), ${endOfWait}
      where status = 'waiting_input' and exists (
        select from muster.tool_calls
        where tool_calls.account_id = runs.account_id and tool_calls.run_id = runs.id
          and (tool_calls.id = runs.pending ->> 'call_id' or exists (
            select from json_array_elements(runs.pending -> 'calls') as call
            where call ->> 'call_id' = tool_calls.id))
          and tool_calls.status = 'proposed' and sensitive)
      returning account_id, id
    )
    insert into muster.jobs (account_id, run_id, begun) select account_id, id, true from asking`)
  await connection.query(`
    update muster.tool_calls
    set status = 'unknown', decision = null, decided_at = null, decided_by = null,
        decider_name = null, reason = null, approvals = null
    from (select account_id, run_id from muster.jobs
          union all
          select account_id, id from muster.runs where status = 'waiting_input') as open
    where tool_calls.account_id = open.account_id and tool_calls.run_id = open.run_id
      and tool_calls.output is null and sensitive
      and tool_calls.status in ('proposed', 'approved')`)
  // A worker may have done more of what was requested than the database knows.
  await connection.query(`
    update muster.tool_calls set status = 'unknown'
    from muster.requested_calls as request
    where tool_calls.account_id = request.account_id and tool_calls.run_id = request.run_id
      and tool_calls.id = request.id and tool_calls.status = 'executing'
      and request.due_at is not null and request.sensitive`)
  await connection.query(`
    update muster.jobs set ready_at = now()
    from muster.requested_calls as request
    where jobs.account_id = request.account_id and jobs.run_id = request.run_id and jobs.worker is null
      and request.due_at is not null and request.sensitive`)
  await connection.query(`
    update muster.requested_calls
    set status = 'unknown', due_at = null, lease_expires_at = null, finished_at = now()
    where due_at is not null and sensitive`)
}

/** The given events that the database has. */
async function findStored(
  connection: Connection,
  events: (RunKey & { id: string })[],
): Promise<{ id: string }[]> {
  const { rows } = await connection.query<{ id: string }>(
    `with input as materialized (
       select * from json_to_recordset($1::json) as input ("accountId" text, "runId" text, id text)
     )
     select events.id from input join muster.events
       on events.account_id = input."accountId" and events.run_id = input."runId" and events.id = input.id`,
    [JSON.stringify(events)],
  )
  return rows
}

const attemptsPerEpoch = 1_000_000

/**
 * Attempts of an epoch are higher than all attempts of earlier epochs, even those that a lossy
 * failover lost. A worker that still executes a run from an earlier epoch therefore cannot write.
 */
export const attemptFloor = sql<number>`(select max(number) from epochs) * ${sql.lit(attemptsPerEpoch)}`

export const currentEpoch = sql<number>`(select max(number) from epochs)`

/** A run of an earlier epoch than this may have progressed further than the database knows. */
export const lastEpochInDoubt = sql<number>`(
  select coalesce(max(number), 0) from epochs where in_doubt)`

/**
 * The events of the last minutes that the database acknowledged to this process. After a failover
 * the database is asked for them again: events that it lacks are lost, and can be listed.
 */
export interface AcknowledgedEvent {
  accountId: string
  runId: string
  id: string
  type: string
}

export class Acknowledged {
  /** A ring buffer; the newest entry is just before `#next`. */
  readonly #ring: (AcknowledgedEvent & { atMs: number })[] = []
  #next = 0

  add({ accountId, runId }: RunKey, events: readonly Pick<RunEvent, 'id' | 'type'>[]): void {
    const atMs = performance.now()
    for (const { id, type } of events) {
      this.#ring[this.#next] = { accountId, runId, id, type, atMs }
      this.#next = (this.#next + 1) % maxEvents
    }
  }

  recent(): AcknowledgedEvent[] {
    const since = performance.now() - keptMs
    return this.#ring.filter(({ atMs }) => atMs >= since)
  }
}

const maxEvents = 20_000
const keptMs = 15 * 60_000
