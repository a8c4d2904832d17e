import { sql } from 'kysely'
import { keyTable } from '../db/fragments.ts'
import type { Database } from '../db/client.ts'
import { asBytes, asTime, eachPart, execute, run, runEach } from '../db/run.ts'
import { statement, type Given } from '../db/statement.ts'
import { areSendsHeld, isServed } from '../work/claim.ts'
import { type RunTexts, joinRun, textsOfRun } from '../engine/reads/runs.ts'

/** SQL of claims: which deliveries this process may attempt while it renews its claim. */

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
  /** Also signs until it expires. */
  previousSecret: Buffer | null
  /** Texts of the run in its current state; null for a test event. */
  run: RunTexts | null
}

interface ClaimLimits {
  /** Maximum number of deliveries. */
  count: number
  /** Attempts in flight, over all processes. */
  perEndpoint: number
  perAccount: number
}

/** A claim expires after this time unless its holder renews it. */
const leaseSeconds = 8

/**
 * Columns read from the CTE `claimed`, with the current state of its endpoint and run, if there is
 * one.
 */
const claimedColumns = sql`
  claimed.id, claimed.account_id as "accountId", claimed.endpoint_id as "endpointId",
  claimed.event_id as "eventId", claimed.event_type as "eventType",
  claimed.created_at as "createdAt", claimed.snapshot,
  claimed.scheduled_attempts as "scheduledAttempts",
  claimed.manual_requests > 0 as "isManual", endpoint.url, endpoint.secret,
  case when endpoint.previous_secret_expires_at > now()
    then endpoint.previous_secret end as "previousSecret",
  ${textsOfRun} as run`

const claimedTables = sql`
  claimed
  join webhook_endpoints as endpoint on endpoint.account_id = claimed.account_id
    and endpoint.id = claimed.endpoint_id
  ${joinRun('claimed')}`

/** Condition on the table `delivery`: due, and not claimed by any process. */
const isDue = sql`
  delivery.status = 'pending' and delivery.next_attempt_at <= now()
  and (delivery.claimed_until is null or delivery.claimed_until <= now())`

/** An arbitrary constant: the advisory lock of claiming deliveries. */
const claimLock = 0x6d776864

/** Endpoints that one claim reads. */
const endpointsPerClaim = 500

/**
 * Claims due deliveries of active endpoints within the limits, taking turns among accounts, so that
 * neither a slow endpoint nor an account with many of them delays others. Reads endpoints after the
 * cursor `after`, and returns the cursor for the next claim; '' is before the first. One claim at a
 * time: while another is in progress, this one gets nothing. The claims of a process that died
 * expire with their lease.
 */
export async function claimDeliveries(
  database: Database,
  limits: ClaimLimits,
  after: string,
): Promise<{ claimed: ClaimedDelivery[]; next: string }> {
  return database.transaction().execute(async (transaction) => {
    // A statement of its own, so that the next one sees everything that earlier claims have
    // committed.
    const lock = await sql<{ ok: boolean }>`
      select pg_try_advisory_xact_lock(${sql.lit(claimLock)})
             and not ${areSendsHeld} as ok`.execute(transaction)
    if (lock.rows[0]?.ok !== true) return { claimed: [], next: after }
    const claimed: ClaimedDelivery[] = []
    const cursors: string[] = []
    await eachPart(
      database,
      withDue(after),
      async (scope, connection) => {
        const left = { ...limits, count: limits.count - claimed.length, after }
        if (left.count <= 0) {
          cursors.push(after)
          return 0
        }
        const rows = await run(connection, scope, claiming(left, {}), casts)
        // There is a row even if nothing is due.
        cursors.push(rows[0]?.next ?? '')
        return claimed.push(...(rows.filter((row) => row.id !== null) as ClaimedDelivery[]))
      },
      { within: transaction },
    )
    const [next = ''] = cursors.filter((cursor) => cursor !== '').sort()
    return { claimed, next }
  })
}

/**
 * Accounts after a cursor with a due delivery: one index probe for each endpoint, however many
 * deliveries wait.
 */
const withDue = (after: string) => sql`
  webhook_endpoints as endpoint
  where endpoint.active and ${isServed('endpoint')}
    and endpoint.account_id >= split_part(${after}, ' ', 1)
    and exists (select 1 from webhook_deliveries as delivery
                where delivery.account_id = endpoint.account_id
                  and delivery.endpoint_id = endpoint.id and ${isDue})`

const casts = { createdAt: asTime, secret: asBytes, previousSecret: asBytes }

const claiming = statement(
  (given: Given<ClaimLimits & { after: string }>) => sql<
    { next: string } & Nullable<ClaimedDelivery>
  >`
    with recursive waiting (account_id, endpoint_id, number) as (
      -- Each endpoint with pending deliveries, by one index probe.
      (select account_id, endpoint_id, 1 from webhook_deliveries
       where status = 'pending'
         and (account_id, endpoint_id) > (split_part(${given.after}, ' ', 1), split_part(${given.after}, ' ', 2))
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
          and ${isDue}
        order by delivery.next_attempt_at
        limit greatest(0, ${given.perEndpoint}::int - coalesce(in_flight.count, 0))
      ) as one
    ), claimed as (
      update webhook_deliveries as delivery
      set claimed_until = now() + ${sql.lit(leaseSeconds)} * interval '1 second'
      -- By ctid, because the planner would scan the whole table for a join with an unknown number
      -- of rows.
      where delivery.ctid = any(array(
        select place from candidate where turn <= ${given.perAccount}::int
        order by turn limit ${given.count}::int)) and delivery.status = 'pending'
      returning delivery.*
    )
    select case when (select count(*) from waiting) < ${sql.lit(endpointsPerClaim)} then ''
             else (select account_id || ' ' || endpoint_id from waiting order by number desc limit 1) end as next,
           ${claimedColumns}
    from (select) as one left join (${claimedTables}) on true`,
)

type Nullable<T> = { [Key in keyof T]: T[Key] | null }

/**
 * Renews claims whose attempts are in flight. Skips locked rows, which are just being recorded, so
 * that it cannot deadlock with a recording statement.
 */
export async function renewClaims(
  database: Database,
  claimed: { accountId: string; id: string }[],
): Promise<void> {
  await runEach(database, claimed, async (part) => {
    const query = sql`
      update webhook_deliveries
      set claimed_until = now() + ${leaseSeconds}::int * interval '1 second'
      where ctid = any(array(
        select delivery.ctid from ${keyTable(part)} as named
        join webhook_deliveries as delivery on delivery.account_id = named.account_id
          and delivery.id = named.id
        where delivery.claimed_until is not null
        for update of delivery skip locked))`
    await execute(database, part, query)
    return []
  })
}
