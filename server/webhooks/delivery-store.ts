import { sql } from 'kysely'
import { bySystem, insertAudit, toAuditRow, type AuditRow } from '../accounts/record-audit.ts'
import { fewRows } from '../db/batch.ts'
import { doAtHome } from '../db/at-home.ts'
import type { Database } from '../db/client.ts'
import { homeOf } from '../db/home.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import type { NextState } from './delivery.ts'
import type { DeliveryAttempt } from './schema.ts'

/** SQL of the outcome of attempts. */

/** An attempt, and what follows it. */
export interface AttemptRecord {
  delivery: Pick<ClaimedDelivery, 'id' | 'accountId' | 'endpointId' | 'isManual'>
  attempt: DeliveryAttempt
  next: NextState
}

/**
 * Records attempts: history and next time of each delivery, last attempt and failures of each
 * endpoint. An endpoint whose failures in a row reach `maxFailures` is disabled, which the audit tells.
 * Deliveries that were deleted meanwhile stay deleted, and those that another process delivered, after a claim had
 * expired, delivered.
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
            when delivery.status = 'succeeded' then 'succeeded' else input.status end,
          next_attempt_at = case when delivery.manual_requests > input.manual then now()
            when delivery.status <> 'succeeded' and input.status = 'pending' then now() + input.delay * interval '1 second' end,
          scheduled_attempts = least(32767, delivery.scheduled_attempts + 1 - input.manual),
          manual_requests = greatest(0, delivery.manual_requests - input.manual),
          claimed_until = null
      from input where delivery.account_id = input.account_id and delivery.id = input.id
    ), outcome as materialized (
      select * from json_to_recordset(${JSON.stringify(toOutcomes(records))}::json) as input
        (number int, account_id text, endpoint_id text, at timestamptz, status int, has_success boolean, failures int,
         audit jsonb)
      where ${fewRows}
    ), counted as (
      select endpoint.account_id, endpoint.id, endpoint.active, outcome.at, outcome.status, outcome.audit,
             case when outcome.has_success then 0 else endpoint.consecutive_failures end
               + outcome.failures as failures
      from outcome join webhook_endpoints as endpoint
        on endpoint.account_id = outcome.account_id and endpoint.id = outcome.endpoint_id
      -- No key is changed: statements that write deliveries need not wait.
      order by endpoint.account_id, endpoint.id
      for no key update of endpoint
    ), judged as (
      select *, case when active and failures >= ${maxFailures}::int
               then failures || ' events in a row failed every attempt, the last answer was '
                    || case when status = 0 then 'none' else status::text end end as why_disabled
      from counted
    ), updated as (
      update webhook_endpoints as endpoint
      set last_delivery_at = case when ${isBeforeLast} then endpoint.last_delivery_at else judged.at end,
          last_delivery_status =
            case when ${isBeforeLast} then endpoint.last_delivery_status else judged.status end,
          consecutive_failures = judged.failures,
          active = judged.active and judged.why_disabled is null,
          updated_at = case when judged.why_disabled is null then endpoint.updated_at else now() end,
          disabled_at = case when judged.why_disabled is null then endpoint.disabled_at else now() end,
          disabled_reason = coalesce(judged.why_disabled, endpoint.disabled_reason)
      from judged
      where endpoint.account_id = judged.account_id and endpoint.id = judged.id
    )
    ${insertAudit(sql`
      select (audit || jsonb_build_object(
               'before', jsonb_build_object('active', true, 'disabled_reason', null),
               'after', jsonb_build_object('active', false, 'disabled_reason', why_disabled)))::json
      from judged where why_disabled is not null`)}`
  await doAtHome(database, home, query)
}

/** An attempt that began earlier may end later. A time to come is of a wrong clock, and does not stay. */
const isBeforeLast = sql`
  judged.at < endpoint.last_delivery_at and endpoint.last_delivery_at <= now()`

interface Outcome {
  number: number
  account_id: string
  endpoint_id: string
  at: string
  status: number
  has_success: boolean
  /** Failed events since the last success in this batch, or in all of it. */
  failures: number
  /** For the case that it is disabled; without what changed. */
  audit: AuditRow | undefined
}

/** The attempts of a batch in order, summed up for each endpoint. */
function toOutcomes(records: AttemptRecord[]): Outcome[] {
  const outcomes = new Map<string, Outcome>()
  for (const { delivery, attempt, next } of records) {
    const { accountId, endpointId } = delivery
    const before = outcomes.get(endpointId)
    const isSuccess = next.kind === 'succeeded'
    const failures = next.kind === 'failed' && next.isFailedEvent ? 1 : 0
    const last = { at: attempt.at, status: attempt.response_status }
    outcomes.set(endpointId, {
      number: before?.number ?? outcomes.size,
      account_id: accountId,
      endpoint_id: endpointId,
      // Times of one form, so they compare as texts.
      ...(before !== undefined && before.at > last.at
        ? { at: before.at, status: before.status }
        : last),
      has_success: isSuccess || before?.has_success === true,
      failures: isSuccess ? 0 : (before?.failures ?? 0) + failures,
      audit: undefined,
    })
  }
  for (const outcome of outcomes.values()) {
    // Most deliveries succeed.
    if (outcome.has_success && outcome.failures === 0) continue
    const origin = bySystem('deliveries', 'webhook.disabled')
    outcome.audit = toAuditRow(outcome.account_id, origin, { objectId: outcome.endpoint_id })
  }
  return [...outcomes.values()]
}
