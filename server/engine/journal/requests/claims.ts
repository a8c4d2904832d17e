import { sql } from 'kysely'
import { insertAudit, type AuditRow } from '../../../audit/record.ts'
import { withNotices } from '../../../db/fragments.ts'
import type { Database } from '../../../db/client.ts'
import { asTime, run } from '../../../db/run.ts'
import { mayWork } from '../../../work/claim.ts'
import { requestNotice } from './requests.ts'

/** Claims of requested calls: each call is held by one worker at a time, by its lease. No run is touched. */

export interface Claim {
  /** Names of the tools; undefined for any. */
  names: string[] | undefined
  limit: number
  leaseSeconds: number
  /** Token of the new leases. */
  lease: string
  claimer: { id: string; name: string }
  /** Entry of the audit log for each call, without its id and object. */
  audit: AuditRow
}

export interface ClaimedCall {
  id: string
  run_id: string
  workflow_id: string
  step_order: number
  agent_id: string | null
  name: string
  input: Record<string, unknown>
  try: number
  requested_at: Date
  expires_at: Date
  lease_expires_at: Date
  lease: string
}

const times = { requested_at: asTime, expires_at: asTime, lease_expires_at: asTime }

/** Gives open requests of an account to a worker, the oldest first. */
export function claimRequests(
  database: Database,
  accountId: string,
  { names, limit, leaseSeconds, lease, claimer, audit }: Claim,
): Promise<ClaimedCall[]> {
  const isOpen = sql`account_id = ${accountId} and status = 'requested' and expires_at > now()
    and ${mayWork('requested_calls')}`
  const oldest = sql`order by requested_at, id limit ${limit} for update skip locked`
  const found =
    names === undefined
      ? sql`select id, requested_at from requested_calls where ${isOpen} ${oldest}`
      : sql`
        select one.id, one.requested_at from unnest(${names}::text[]) as wanted (name) cross join lateral (
          select id, requested_at from requested_calls where ${isOpen} and name = wanted.name ${oldest}
        ) as one`
  const leaseEnd = sql`least(expires_at, (select now()) + make_interval(secs => ${leaseSeconds}))`
  const query = sql<ClaimedCall>`
    with found as materialized (${found}),
    chosen as materialized (select id from found order by requested_at, id limit ${limit}),
    claimed as (
      update requested_calls as request
      set status = 'claimed', try = try + 1, lease = ${lease}, lease_expires_at = ${leaseEnd},
          due_at = ${leaseEnd}, claimed_by = ${claimer.id}, claimer_name = ${claimer.name},
          claimed_at = (select now())
      where account_id = ${accountId} and id = any(array(select id from chosen))
      returning request.*
    ), audited as (${insertAudit(sql`
      select (${JSON.stringify(audit)}::jsonb || jsonb_build_object(
               'id', new_id('aud'), 'object_id', claimed.id,
               'after', jsonb_build_object('run_id', run_id, 'name', name, 'try', try)))::json
      from claimed`)})
    select claimed.id, claimed.run_id, claimed.workflow_id, claimed.step_position::int as step_order,
           claimed.agent_id, claimed.name, call.input, claimed.try, claimed.requested_at,
           claimed.expires_at, claimed.lease_expires_at, claimed.lease
    from claimed
    join tool_calls as call on call.account_id = ${accountId} and call.run_id = claimed.run_id
      and call.step_position = claimed.step_position and call.turn = claimed.turn
      and call.position = claimed.position
    order by claimed.requested_at, claimed.run_id, claimed.turn, claimed.position`
  return run(database, accountId, query, times)
}

/** Takes back claims that reached no worker. */
export async function returnClaims(
  database: Database,
  accountId: string,
  lease: string,
  ids: string[],
): Promise<void> {
  const query = sql`
    with returned as (
      update requested_calls as request
      set status = 'requested', try = try - 1, lease = null, lease_expires_at = null, due_at = expires_at
      where account_id = ${accountId} and id = any(${ids}) and lease = ${lease} and status = 'claimed'
      returning ${requestNotice}
    )
    ${withNotices(sql`select 1 as one from returned`, 'returned')}`
  await run(database, accountId, query)
}

/** Extends a lease from now on; false if the caller does not hold it. */
export async function extendLease(
  database: Database,
  accountId: string,
  { id, lease, seconds }: { id: string; lease: string; seconds: number },
): Promise<boolean> {
  const leaseEnd = sql`least(expires_at, (select now()) + make_interval(secs => ${seconds}))`
  const query = sql`
    update requested_calls set lease_expires_at = ${leaseEnd}, due_at = ${leaseEnd}
    where account_id = ${accountId} and id = ${id} and lease = ${lease} and status = 'claimed'
      and lease_expires_at > now()
    returning id`
  return (await run(database, accountId, query)).length > 0
}

/** Names of the open requests of a run, with whether a worker has each. */
export async function readOpenRequests(
  database: Database,
  accountId: string,
  runId: string,
): Promise<{ name: string; isClaimed: boolean }[]> {
  const { rows } = await sql<{ name: string; isClaimed: boolean }>`
    select name, status = 'claimed' as "isClaimed" from requested_calls
    where account_id = ${accountId} and run_id = ${runId} and due_at is not null
    order by turn, position`.execute(database)
  return rows
}
