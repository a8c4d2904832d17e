import { sql } from 'kysely'
import { doAtHome } from '../db/at-home.ts'
import { keyTable } from '../db/batch.ts'
import type { Database, Transaction } from '../db/client.ts'
import { andIn, homeOf, inParts, type Home } from '../db/home.ts'
import { inTurn, lookOver } from '../db/look-over.ts'
import { isSpread } from '../db/spread-dialect.ts'
import { isServed } from '../engine/queue/jobs.ts'
import type { RunTexts } from './delivery.ts'

/** SQL of claims: which deliveries this process may attempt now, while it renews its claim. */

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
  /** Of its run, as that is now; null for a test event. */
  run: RunTexts | null
}

interface ClaimLimits {
  /** Deliveries to claim at most. */
  count: number
  /** Attempts in flight, over all processes. */
  perEndpoint: number
  perAccount: number
}

/** A claim expires after this time unless its holder renews it. */
const leaseSeconds = 8

/** Of the table `runs`: the texts of a body, which its snapshot does not have. */
export const runTexts = sql<RunTexts | null>`
  case when runs.id is not null then json_build_object('input', runs.input,
    'output', runs.output, 'data', runs.data, 'output_json', runs.output_json) end`

/** What is read of the CTE `claimed`, whose endpoint and run are as they are now; it may have no run. */
const claimedColumns = sql`
  claimed.id, claimed.account_id as "accountId", claimed.endpoint_id as "endpointId",
  claimed.event_id as "eventId", claimed.event_type as "eventType",
  claimed.created_at as "createdAt", claimed.snapshot,
  claimed.scheduled_attempts as "scheduledAttempts",
  claimed.manual_requests > 0 as "isManual", endpoint.url, endpoint.secret,
  case when endpoint.previous_secret_expires_at > now()
    then endpoint.previous_secret end as "previousSecret",
  ${runTexts} as run`

const claimedTables = (home: Home) => sql`
  claimed
  join webhook_endpoints as endpoint on endpoint.account_id = claimed.account_id
    and endpoint.id = claimed.endpoint_id${andIn('endpoint', home)}
  left join runs on runs.account_id = claimed.account_id and runs.id = claimed.run_id${andIn('runs', home)}`

/** Of the table `delivery`: it may be attempted, and nobody does. */
const isDue = sql`
  delivery.status = 'pending' and delivery.next_attempt_at <= now()
  and (delivery.claimed_until is null or delivery.claimed_until <= now())`

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
      ? claimByAccount(database, limits, after)
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
          and ${isDue}
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
             else (select account_id || ' ' || endpoint_id from waiting order by number desc limit 1) end as next,
           ${claimedColumns}
    from (select) as one left join (${claimedTables(undefined)}) on true`.execute(transaction)
  const claimed = rows.filter((row) => row.id !== null) as ClaimedDelivery[]
  return { claimed, next: rows[0]?.next ?? '' }
}

type Nullable<T> = { [Key in keyof T]: T[Key] | null }

/** Accounts that one claim looks at where each is on a node; they are claimed for well within a lease. */
const accountsPerClaim = 100

/**
 * The same where the database is distributed: one look over all shards for the accounts that have
 * something due, then a claim for each, on its node, with the same limits. The mark is the account that was looked
 * at last, so that those whose endpoints are off or busy do not stand before the others. The caller has the lock that lets
 * one process claim at a time; each account's claim is a transaction of its own, so that none spans two nodes.
 */
async function claimByAccount(
  database: Database,
  { count, perAccount, perEndpoint }: ClaimLimits,
  after: string,
): Promise<{ claimed: ClaimedDelivery[]; next: string }> {
  // One index probe for each endpoint, however much it has waiting.
  const query = sql<{ accountId: string }>`
    select distinct endpoint.account_id as "accountId" from webhook_endpoints as endpoint
    where endpoint.active and ${isServed('endpoint')} and endpoint.account_id > ${after}
      and exists (select 1 from webhook_deliveries as delivery
                  where delivery.account_id = endpoint.account_id
                    and delivery.endpoint_id = endpoint.id and ${isDue})
    order by endpoint.account_id limit ${sql.lit(accountsPerClaim)}`
  const found = (await lookOver(database, query)).map(({ accountId }) => accountId)
  const due = found.toSorted().slice(0, accountsPerClaim)
  const claimed: ClaimedDelivery[] = []
  let last = ''
  await inTurn(due, async ([accountId]) => {
    const left = count - claimed.length
    if (left <= 0) return 0
    last = accountId
    // An equal share of what is left: who has less waiting leaves the rest to those behind.
    const share = Math.ceil(left / (due.length - due.indexOf(accountId)))
    const limits = { count: share, perAccount, perEndpoint }
    return claimed.push(...(await claimOf(database, accountId, limits)))
  })
  const hasMore = last !== due.at(-1) || due.length === accountsPerClaim
  return { claimed, next: hasMore ? last : '' }
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
      select one.id, one.next_attempt_at
      from webhook_endpoints as endpoint
      left join in_flight on in_flight.endpoint_id = endpoint.id
      cross join lateral (
        select delivery.id, delivery.next_attempt_at from webhook_deliveries as delivery
        where delivery.account_id = ${accountId} and delivery.endpoint_id = endpoint.id and ${isDue}
        order by delivery.next_attempt_at
        limit greatest(0, ${perEndpoint}::int - coalesce(in_flight.count, 0))
      ) as one
      where endpoint.account_id = ${accountId} and endpoint.active
    ), claimed as (
      update webhook_deliveries as delivery
      set claimed_until = now() + ${leaseSeconds}::int * interval '1 second'
      where delivery.account_id = ${accountId} and delivery.status = 'pending'
        and delivery.id = any(array(
          select id from due order by next_attempt_at
          limit least(${count}::int,
                      greatest(0, ${perAccount}::int - (select coalesce(sum(count), 0) from in_flight)::int))))
      returning delivery.*
    )
    select ${claimedColumns} from ${claimedTables([accountId])}`.execute(database)
  return rows
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
