import { sql } from 'kysely'
import type { Database } from '../db/client.ts'
import type { DeliveryAttempt } from './schema.ts'

/** SQL of deliveries in progress: claiming what is due, recording what came of it. */

/** A delivery that this process may attempt now. */
export interface ClaimedDelivery {
  id: string
  accountId: string
  endpointId: string
  eventId: string
  eventType: string
  createdAt: Date
  snapshot: Record<string, unknown>
  scheduledAttempts: number
  isManual: boolean
  url: string
  secret: Buffer
  /** Signs as well while it has not expired. */
  previousSecret: Buffer | null
  runId: string | null
  runInput: string | null
  runOutput: string | null
}

/** Longer than an attempt may take. */
const leaseSeconds = 30
/** Any number of ours: the key of "somebody claims deliveries". */
const claimLock = 0x6d776864

/**
 * Claims due deliveries of active endpoints, oldest first, so many of each endpoint that no more than
 * `perEndpoint` are in flight over all processes. Claims run one after the other; one that finds
 * another under way gets nothing. A claim whose process died is free again after its lease.
 */
export async function claimDeliveries(
  database: Database,
  limit: number,
  perEndpoint: number,
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with recursive may_claim as materialized (
      select pg_try_advisory_xact_lock(${sql.lit(claimLock)}) as ok
    ), waiting (endpoint_id) as (
      -- Each endpoint with pending deliveries, by one index probe.
      (select endpoint_id from webhook_deliveries
       where status = 'pending' and (select ok from may_claim)
       order by endpoint_id limit 1)
      union all
      select (select delivery.endpoint_id from webhook_deliveries as delivery
              where delivery.status = 'pending' and delivery.endpoint_id > waiting.endpoint_id
              order by delivery.endpoint_id limit 1)
      from waiting where waiting.endpoint_id is not null
    ), due as materialized (
      select one.id
      from waiting
      join webhook_endpoints as endpoint on endpoint.id = waiting.endpoint_id and endpoint.active
      cross join lateral (
        select count(*) as count from webhook_deliveries as claimed
        where claimed.endpoint_id = endpoint.id and claimed.claimed_until > now()
      ) as in_flight
      cross join lateral (
        select delivery.id from webhook_deliveries as delivery
        where delivery.endpoint_id = endpoint.id and delivery.status = 'pending'
          and delivery.next_attempt_at <= now()
          and (delivery.claimed_until is null or delivery.claimed_until <= now())
        order by delivery.next_attempt_at
        limit greatest(0, ${perEndpoint}::int - in_flight.count)
      ) as one
      limit ${limit}::int
    ), claimed as (
      update webhook_deliveries as delivery
      set claimed_until = now() + ${leaseSeconds}::int * interval '1 second'
      where delivery.id in (select id from due)
      returning delivery.*
    )
    select claimed.id, claimed.account_id as "accountId", claimed.endpoint_id as "endpointId",
           claimed.event_id as "eventId", claimed.event_type as "eventType",
           claimed.created_at as "createdAt", claimed.snapshot, claimed.run_id as "runId",
           claimed.scheduled_attempts as "scheduledAttempts", claimed.is_manual as "isManual",
           endpoint.url, endpoint.secret,
           case when endpoint.previous_secret_expires_at > now()
             then endpoint.previous_secret end as "previousSecret",
           runs.input as "runInput", runs.output as "runOutput"
    from claimed
    join webhook_endpoints as endpoint on endpoint.id = claimed.endpoint_id
    left join runs on runs.id = claimed.run_id`.execute(database)
  return rows
}

/** What came of an attempt. */
export interface AttemptRecord {
  deliveryId: string
  endpointId: string
  attempt: Omit<DeliveryAttempt, 'at'> & { at: string }
  isManual: boolean
  status: 'pending' | 'succeeded' | 'failed'
  delaySeconds: number | null
  /** The event failed every attempt. */
  isFailedEvent: boolean
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
  const deliveries = records.map((record) => ({
    id: record.deliveryId,
    attempt: record.attempt,
    status: record.status,
    delay: record.delaySeconds,
    scheduled: record.isManual ? 0 : 1,
  }))
  await sql`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(deliveries)}::json) as input
        (id text, attempt jsonb, status text, delay float8, scheduled int)
    ), recorded as (
      update webhook_deliveries as delivery
      set attempts = delivery.attempts || input.attempt, status = input.status,
          next_attempt_at = case when input.status = 'pending'
            then now() + input.delay * interval '1 second' end,
          scheduled_attempts = delivery.scheduled_attempts + input.scheduled,
          is_manual = false, claimed_until = null
      from input where delivery.id = input.id
    ), outcome as materialized (
      select * from json_to_recordset(${JSON.stringify(toOutcomes(records))}::json) as outcome
        (endpoint_id text, at timestamptz, status int, has_success boolean, failures int)
    ), counted as (
      select endpoint.id, outcome.at, outcome.status,
             case when outcome.has_success then 0 else endpoint.consecutive_failures end
               + outcome.failures as failures
      from outcome join webhook_endpoints as endpoint on endpoint.id = outcome.endpoint_id
      order by endpoint.id for update of endpoint
    )
    update webhook_endpoints as endpoint
    set last_delivery_at = counted.at, last_delivery_status = counted.status,
        consecutive_failures = counted.failures,
        active = endpoint.active and counted.failures < ${maxFailures}::int,
        disabled_at = case when endpoint.active and counted.failures >= ${maxFailures}::int
          then now() else endpoint.disabled_at end,
        disabled_reason = case when endpoint.active and counted.failures >= ${maxFailures}::int
          then counted.failures || ' events in a row failed every attempt, the last answer was '
               || case counted.status when 0 then 'none' else counted.status::text end
          else endpoint.disabled_reason end
    from counted where endpoint.id = counted.id`.execute(database)
}

interface Outcome {
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
  for (const { endpointId, attempt, status, isFailedEvent } of records) {
    const before = outcomes.get(endpointId)
    const isSuccess = status === 'succeeded'
    outcomes.set(endpointId, {
      endpoint_id: endpointId,
      at: attempt.at,
      status: attempt.response_status,
      has_success: isSuccess || before?.has_success === true,
      failures: isSuccess ? 0 : (before?.failures ?? 0) + (isFailedEvent ? 1 : 0),
    })
  }
  return [...outcomes.values()]
}
