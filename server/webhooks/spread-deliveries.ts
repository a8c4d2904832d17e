import { sql } from 'kysely'
import type { Database } from '../db/client.ts'
import { isServed } from '../engine/queue/jobs.ts'
import { leaseSeconds, shownRun, type ClaimedDelivery, type ClaimLimits } from './claimed.ts'

/**
 * Claims of deliveries where the database is distributed: one look over all shards for the accounts that have
 * something due, then a claim for each, on its node, with the same limits. The caller has the lock that lets
 * one process claim at a time; each account's claim is a transaction of its own, so that none spans two nodes.
 */
export async function claimByAccount(
  database: Database,
  { count, perAccount, perEndpoint }: ClaimLimits,
): Promise<ClaimedDelivery[]> {
  const due = await sql<{ accountId: string }>`
    select account_id as "accountId" from webhook_deliveries
    where status = 'pending' and next_attempt_at <= now()
      and (claimed_until is null or claimed_until <= now()) and ${isServed('webhook_deliveries')}
    group by account_id order by min(next_attempt_at) limit ${count}`.execute(database)
  const claimed: ClaimedDelivery[] = []
  for (const { accountId } of due.rows) {
    const left = count - claimed.length
    if (left <= 0) break
    const limits = { count: left, perAccount, perEndpoint }
    claimed.push(...(await claimOf(database, accountId, limits)))
  }
  return claimed
}

async function claimOf(
  database: Database,
  accountId: string,
  { count, perAccount, perEndpoint }: ClaimLimits,
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with in_flight as materialized (
      select endpoint_id, count(*) as count from webhook_deliveries
      where account_id = ${accountId} and claimed_until is not null and claimed_until > now()
      group by endpoint_id
    ), due as materialized (
      select delivery.id, delivery.next_attempt_at,
             row_number() over (partition by delivery.endpoint_id order by delivery.next_attempt_at)
               + coalesce(in_flight.count, 0) as turn
      from webhook_deliveries as delivery
      join webhook_endpoints as endpoint on endpoint.account_id = ${accountId}
        and endpoint.id = delivery.endpoint_id and endpoint.active
      left join in_flight on in_flight.endpoint_id = delivery.endpoint_id
      where delivery.account_id = ${accountId} and delivery.status = 'pending'
        and delivery.next_attempt_at <= now()
        and (delivery.claimed_until is null or delivery.claimed_until <= now())
    ), claimed as (
      update webhook_deliveries as delivery
      set claimed_until = now() + ${leaseSeconds}::int * interval '1 second'
      where delivery.account_id = ${accountId} and delivery.status = 'pending'
        and delivery.id = any(array(
          select id from due where turn <= ${perEndpoint} order by next_attempt_at
          limit least(${count}::int,
                      greatest(0, ${perAccount}::int - (select coalesce(sum(count), 0) from in_flight)::int))))
      returning delivery.*
    )
    select claimed.id, claimed.account_id as "accountId", claimed.endpoint_id as "endpointId",
           claimed.event_id as "eventId", claimed.event_type as "eventType",
           claimed.created_at as "createdAt", claimed.snapshot, claimed.run_id as "runId",
           claimed.scheduled_attempts as "scheduledAttempts",
           claimed.manual_requests > 0 as "isManual", endpoint.url, endpoint.secret,
           case when endpoint.previous_secret_expires_at > now()
             then endpoint.previous_secret end as "previousSecret", ${shownRun}
    from claimed
    join webhook_endpoints as endpoint on endpoint.account_id = ${accountId}
      and endpoint.id = claimed.endpoint_id
    left join runs on runs.account_id = ${accountId} and runs.id = claimed.run_id`.execute(database)
  return rows
}
