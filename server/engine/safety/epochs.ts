import type { ClientBase } from 'pg'
import { markActionsInDoubt, findStored, releaseAll } from '../journal/epochs.ts'
import type { AcknowledgedEvent } from './acknowledged.ts'

/** SQL of epochs, which `server/start/epochs.ts` explains. */

/** A new connection that the pool has not handed out yet. */
export type Connection = Pick<ClientBase, 'query'>

/** Identity of a database server. */
export interface ServerIdentity {
  systemIdentifier: string
  timeline: number
}

export interface CurrentEpoch {
  number: number
  systemIdentifier: string | null
  timeline: number | null
  home: string | null
  deliveriesHeld: boolean
}

export type EpochReason = 'promoted' | 'restored' | 'copied'

const newestEpoch = `
  select number, system_identifier as "systemIdentifier", timeline, home,
         exists (select from muster.epochs where deliveries_held) as "deliveriesHeld"
  from muster.epochs order by number desc limit 1`

export async function readEpoch(connection: Connection): Promise<CurrentEpoch> {
  const { rows } = await connection.query<CurrentEpoch>(newestEpoch)
  return rows[0] as CurrentEpoch
}

/**
 * Undefined on a standby, which takes no writes, and if the role lacks the permission to read it.
 */
export async function readServerIdentity(
  connection: Connection,
): Promise<ServerIdentity | undefined> {
  try {
    const { rows } = await connection.query<ServerIdentity>(`
      select system_identifier::text as "systemIdentifier",
             ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int as timeline
      from pg_control_system()`)
    return rows[0]
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === '55000' || code === '42501') return undefined
    throw error
  }
}

/** Records the server's identity if no process has done so before. */
export async function storeServerIdentity(
  connection: Connection,
  { systemIdentifier, timeline }: ServerIdentity,
  home: string | undefined,
): Promise<void> {
  await connection.query(
    `update muster.epochs
     set system_identifier = coalesce(system_identifier, $1), timeline = coalesce(timeline, $2),
         home = coalesce(home, $3)
     where number = (select max(number) from muster.epochs)`,
    [systemIdentifier, timeline, home ?? null],
  )
}

/** Throws if the database is read-only. */
export async function refuseReadOnly(connection: Connection): Promise<void> {
  await connection.query('delete from muster.muster_migrations where false')
}

export interface NewEpoch {
  reason: EpochReason
  serverIdentity: ServerIdentity | undefined
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
  { reason, serverIdentity, home, isInDoubt }: NewEpoch,
): Promise<void> {
  const { rows } = await connection.query(
    `insert into muster.epochs
         (number, reason, system_identifier, timeline, home, in_doubt, deliveries_held)
       values ($1, $2, $3, $4, $5, $6, $6) on conflict do nothing returning number`,
    [
      after + 1,
      reason,
      serverIdentity?.systemIdentifier ?? null,
      serverIdentity?.timeline ?? null,
      home ?? null,
      isInDoubt,
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
