import { sql } from 'kysely'
import { fewRows, keyTable } from '../db/batch.ts'
import { doAtHome } from '../db/at-home.ts'
import type { Database, Transaction } from '../db/client.ts'
import { isSpread } from '../db/spread-dialect.ts'
import { homeOf, inParts } from '../db/home.ts'
import { claimByAccount } from './spread-deliveries.ts'
import { isServed } from '../engine/queue/jobs.ts'
import { leaseSeconds, shownRun, type ClaimedDelivery, type ClaimLimits } from './claimed.ts'
import type { NextState } from './delivery.ts'
import type { DeliveryAttempt } from './schema.ts'

/** SQL of deliveries in progress: claiming what is due, recording the outcome. */

export type { ClaimedDelivery, ClaimLimits }

/** Any number of ours: the key of "somebody claims deliveries". */
const claimLock = 0x6d776864

/** Endpoints that one claim looks at. */
const endpointsPerClaim = 500

/**
 * Claims due deliveries of active endpoints within the limits, in turn among the accounts, so that
 * neither a slow endpoint nor an account of slow endpoints holds others up. Looks at endpoints behind
 * the mark `after`, and returns the mark behind which the next claim goes on; '' is before the first. Claims run one after the other; one
 * that finds another under way gets nothing. A claim whose process died is free again after its
 * lease.
 */
export async function claimDeliveries(
  database: Database,
  limits: ClaimLimits,
  after: string,
): Promise<{ claimed: ClaimedDelivery[]; next: string }> {
  return database.transaction().execute(async (transaction) => {
    // A statement of its own: the next one then sees all that earlier claims have committed.
    const lock = await sql<{ ok: boolean }>`
      select pg_try_advisory_xact_lock(${sql.lit(claimLock)})
             and not exists (select from epochs where deliveries_held) as ok`.execute(transaction)
    if (lock.rows[0]?.ok !== true) return { claimed: [], next: after }
    return isSpread(database)
      ? { claimed: await claimByAccount(database, limits), next: '' }
      : claimUnderLock(transaction, limits, after)
  })
}

async function claimUnderLock(
  transaction: Transaction,
  limits: ClaimLimits,
  after: string,
): Promise<{ claimed: ClaimedDelivery[]; next: string }> {
  const { rows } = await sql<{ next: string | null } & Nullable<ClaimedDelivery>>`
    with recursive waiting (account_id, endpoint_id, number) as (
      -- Each endpoint with pending deliveries, by one index probe.
      (select account_id, endpoint_id, 1 from webhook_deliveries
       where status = 'pending'
         and (account_id, endpoint_id) > (split_part(${after}, ' ', 1), split_part(${after}, ' ', 2))
       order by account_id, endpoint_id limit 1)
      union all
      select next.account_id, next.endpoint_id, waiting.number + 1
      from waiting cross join lateral (
        select delivery.account_id, delivery.endpoint_id from webhook_deliveries as delivery
        where delivery.status = 'pending'
          and (delivery.account_id, delivery.endpoint_id)
            > (waiting.account_id, waiting.endpoint_id)
        order by delivery.account_id, delivery.endpoint_id limit 1) as next
      where waiting.number < ${sql.lit(endpointsPerClaim)}
    ), in_flight as materialized (
      select account_id, endpoint_id, count(*) as count from webhook_deliveries
      where claimed_until is not null and claimed_until > now()
      group by account_id, endpoint_id
    ), candidate as materialized (
      select one.place,
             row_number() over (partition by endpoint.account_id order by one.next_attempt_at)
               + coalesce((select sum(in_flight.count) from in_flight
                           where in_flight.account_id = endpoint.account_id), 0) as turn
      from waiting
      join webhook_endpoints as endpoint on endpoint.account_id = waiting.account_id
        and endpoint.id = waiting.endpoint_id and endpoint.active
        and ${isServed('endpoint')}
      left join in_flight on in_flight.account_id = endpoint.account_id
        and in_flight.endpoint_id = endpoint.id
      cross join lateral (
        select delivery.ctid as place, delivery.next_attempt_at
        from webhook_deliveries as delivery
        where delivery.account_id = endpoint.account_id and delivery.endpoint_id = endpoint.id
          and delivery.status = 'pending'
          and delivery.next_attempt_at <= now()
          and (delivery.claimed_until is null or delivery.claimed_until <= now())
        order by delivery.next_attempt_at
        limit greatest(0, ${limits.perEndpoint}::int - coalesce(in_flight.count, 0))
      ) as one
    ), claimed as (
      update webhook_deliveries as delivery
      set claimed_until = now() + ${leaseSeconds}::int * interval '1 second'
      -- By place, because the planner would read the whole table for a join with an unknown number.
      where delivery.ctid = any(array(
        select place from candidate where turn <= ${limits.perAccount}::int
        order by turn limit ${limits.count}::int)) and delivery.status = 'pending'
      returning delivery.*
    )
    select case when (select count(*) from waiting) < ${sql.lit(endpointsPerClaim)} then ''
             else (select max(account_id || ' ' || endpoint_id) from waiting) end as next,
           claimed.id, claimed.account_id as "accountId", claimed.endpoint_id as "endpointId",
           claimed.event_id as "eventId", claimed.event_type as "eventType",
           claimed.created_at as "createdAt", claimed.snapshot, claimed.run_id as "runId",
           claimed.scheduled_attempts as "scheduledAttempts",
           claimed.manual_requests > 0 as "isManual", endpoint.url, endpoint.secret,
           case when endpoint.previous_secret_expires_at > now()
             then endpoint.previous_secret end as "previousSecret",
           ${shownRun}
    from (select) as one
    left join (claimed
      join webhook_endpoints as endpoint on endpoint.account_id = claimed.account_id
        and endpoint.id = claimed.endpoint_id
      left join runs on runs.account_id = claimed.account_id and runs.id = claimed.run_id) on true`.execute(
    transaction,
  )
  const claimed = rows.filter((row) => row.id !== null) as ClaimedDelivery[]
  return { claimed, next: rows[0]?.next ?? '' }
}

/**
 * Renews claims whose attempts are still in flight. Passes over rows that are locked, those being
 * recorded among them, so that it never waits in a circle with who records.
 */
export async function renewClaims(
  database: Database,
  claimed: { accountId: string; id: string }[],
): Promise<void> {
  await inParts(database, claimed, (part) => renewSome(database, part))
}

async function renewSome(
  database: Database,
  claimed: { accountId: string; id: string }[],
): Promise<never[]> {
  const query = sql`
    update webhook_deliveries
    set claimed_until = now() + ${leaseSeconds}::int * interval '1 second'
    where ctid = any(array(
      select delivery.ctid from ${keyTable(claimed)} as named
      join webhook_deliveries as delivery on delivery.account_id = named.account_id
        and delivery.id = named.id
      where delivery.claimed_until is not null
      for update of delivery skip locked))`
  await doAtHome(database, homeOf(database, claimed), query)
  return []
}

type Nullable<T> = { [Key in keyof T]: T[Key] | null }

/** An attempt, and what follows it. */
export interface AttemptRecord {
  delivery: Pick<ClaimedDelivery, 'id' | 'accountId' | 'endpointId' | 'isManual'>
  attempt: DeliveryAttempt
  next: NextState
}

/**
 * Records attempts: history and next time of each delivery, last attempt and failures of each
 * endpoint. An endpoint whose failures in a row reach `maxFailures` is disabled. Deliveries that
 * were deleted meanwhile stay deleted.
 */
export async function recordAttempts(
  database: Database,
  records: AttemptRecord[],
  maxFailures: number,
): Promise<void> {
  const home = homeOf(
    database,
    records.map(({ delivery }) => delivery),
  )
  const deliveries = records.map(({ delivery, attempt, next }, number) => ({
    number,
    account_id: delivery.accountId,
    id: delivery.id,
    attempt,
    status: next.kind,
    delay: next.kind === 'pending' ? next.delaySeconds : null,
    manual: delivery.isManual ? 1 : 0,
  }))
  const query = sql`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(deliveries)}::json) as input
        (number int, account_id text, id text, attempt jsonb, status text, delay float8, manual int)
      where ${fewRows}
    ), recorded as (
      update webhook_deliveries as delivery
      set attempts = delivery.attempts || input.attempt,
          -- One that was asked for by hand meanwhile is still to be made.
          status = case when delivery.manual_requests > input.manual then 'pending'
            else input.status end,
          next_attempt_at = case when delivery.manual_requests > input.manual then now()
            when input.status = 'pending' then now() + input.delay * interval '1 second' end,
          scheduled_attempts = least(32767, delivery.scheduled_attempts + 1 - input.manual),
          manual_requests = greatest(0, delivery.manual_requests - input.manual),
          claimed_until = null
      from input where delivery.account_id = input.account_id and delivery.id = input.id
    ), outcome as materialized (
      select * from json_to_recordset(${JSON.stringify(toOutcomes(records))}::json) as input
        (number int, account_id text, endpoint_id text, at timestamptz, status int, has_success boolean, failures int)
      where ${fewRows}
    ), counted as (
      select endpoint.account_id, endpoint.id, outcome.at, outcome.status,
             case when outcome.has_success then 0 else endpoint.consecutive_failures end
               + outcome.failures as failures
      from outcome join webhook_endpoints as endpoint
        on endpoint.account_id = outcome.account_id and endpoint.id = outcome.endpoint_id
      -- No key is changed: statements that write deliveries need not wait.
      order by endpoint.account_id, endpoint.id
      for no key update of endpoint
    )
    update webhook_endpoints as endpoint
    set last_delivery_at = counted.at, last_delivery_status = counted.status,
        consecutive_failures = counted.failures,
        active = endpoint.active and counted.failures < ${maxFailures}::int,
        updated_at = case when endpoint.active and counted.failures >= ${maxFailures}::int
          then now() else endpoint.updated_at end,
        disabled_at = case when endpoint.active and counted.failures >= ${maxFailures}::int
          then now() else endpoint.disabled_at end,
        disabled_reason = case when endpoint.active and counted.failures >= ${maxFailures}::int
          then counted.failures || ' events in a row failed every attempt, the last answer was '
               || case when counted.status = 0 then 'none' else counted.status::text end
          else endpoint.disabled_reason end
    from counted
    where endpoint.account_id = counted.account_id and endpoint.id = counted.id`
  await doAtHome(database, home, query)
}

interface Outcome {
  number: number
  account_id: string
  endpoint_id: string
  at: string
  status: number
  has_success: boolean
  /** Failed events since the last success in this batch, or in all of it. */
  failures: number
}

/** The attempts of a batch in order, summed up for each endpoint. */
function toOutcomes(records: AttemptRecord[]): Outcome[] {
  const outcomes = new Map<string, Outcome>()
  for (const { delivery, attempt, next } of records) {
    const { accountId, endpointId } = delivery
    const before = outcomes.get(endpointId)
    const isSuccess = next.kind === 'succeeded'
    const failures = next.kind === 'failed' && next.isFailedEvent ? 1 : 0
    outcomes.set(endpointId, {
      number: before?.number ?? outcomes.size,
      account_id: accountId,
      endpoint_id: endpointId,
      at: attempt.at,
      status: attempt.response_status,
      has_success: isSuccess || before?.has_success === true,
      failures: isSuccess ? 0 : (before?.failures ?? 0) + failures,
    })
  }
  return [...outcomes.values()]
}
