import { sql } from 'kysely'
import { bySystem, insertAudit, toAuditRow, type AuditRow } from '../../audit/record.ts'
import { fewRows } from '../../db/fragments.ts'
import type { Database } from '../../db/client.ts'
import { execute } from '../../db/run.ts'
import type { ClaimedDelivery } from './definition.ts'
import type { NextState } from './delivery.ts'
import type { DeliveryAttempt } from './schema.ts'

/** SQL of the outcome of attempts. */

/** An attempt, and what follows it. */
export interface AttemptRecord {
  delivery: Pick<ClaimedDelivery, 'id' | 'accountId' | 'lane' | 'isManual' | 'scheduledAttempts'>
  attempt: DeliveryAttempt
  next: NextState
}

/**
 * Records attempts: history and next time of each delivery, last attempt and failures of each
 * endpoint. An endpoint whose consecutive failures reach `maxFailures` is disabled, which is
 * audited. Deliveries that were deleted meanwhile stay deleted. An attempt whose claim had expired
 * may end after another process has made the same attempt: the earlier result stays, unless this
 * one succeeded, and an event counts as failed once.
 */
export async function recordAttempts(
  database: Database,
  records: AttemptRecord[],
  maxFailures: number,
): Promise<void> {
  const deliveries = records.map(({ delivery, attempt, next }, number) => ({
    number,
    account_id: delivery.accountId,
    id: delivery.id,
    attempt,
    status: next.kind,
    delay: next.kind === 'pending' ? next.delaySeconds : null,
    manual: delivery.isManual ? 1 : 0,
    scheduled_before: delivery.scheduledAttempts,
    is_failed_event: next.kind === 'failed' && next.isFailedEvent,
  }))
  const query = sql`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(deliveries)}::json) as input
        (number int, account_id text, id text, attempt jsonb, status text, delay float8, manual int,
         scheduled_before int, is_failed_event boolean)
      where ${fewRows}
    ), recorded as (
      update webhook_deliveries as delivery
      set attempts = delivery.attempts || input.attempt,
          -- A redelivery that was requested meanwhile is still to be made.
          status = case when delivery.manual_requests > input.manual then 'pending'
            when delivery.status = 'pending' or input.status = 'succeeded' then input.status
            else delivery.status end,
          next_attempt_at = case when delivery.manual_requests > input.manual then now()
            when delivery.status = 'pending' and input.status = 'pending' then now() + input.delay * interval '1 second' end,
          scheduled_attempts = least(32767, delivery.scheduled_attempts + 1 - input.manual),
          manual_requests = greatest(0, delivery.manual_requests - input.manual),
          claimed_until = null
      from input where delivery.account_id = input.account_id and delivery.id = input.id
      returning input.number, delivery.account_id, delivery.endpoint_id,
                input.is_failed_event and delivery.status <> 'succeeded'
                  and delivery.scheduled_attempts = input.scheduled_before + 1 as is_failed_event
    ), outcome as materialized (
      select * from json_to_recordset(${JSON.stringify(toOutcomes(records))}::json) as input
        (number int, account_id text, endpoint_id text, at timestamptz, status int, last_success int, audit jsonb)
      where ${fewRows}
    ), found as (
      select endpoint.account_id, endpoint.id, endpoint.active, outcome.at, outcome.status, outcome.audit,
             outcome.last_success,
             case when outcome.last_success is null then endpoint.consecutive_failures else 0 end as failures
      from outcome join webhook_endpoints as endpoint
        on endpoint.account_id = outcome.account_id and endpoint.id = outcome.endpoint_id
      -- No key is changed, so statements that insert deliveries need not wait.
      order by endpoint.account_id, endpoint.id
      for no key update of endpoint
    ), counted as (
      select account_id, id, active, at, status, audit,
             failures + (select count(*)::int from recorded
                         where recorded.account_id = found.account_id and recorded.endpoint_id = found.id
                           and recorded.is_failed_event
                           and recorded.number > coalesce(found.last_success, -1)) as failures
      from found
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
  const scope = records.map(({ delivery }) => delivery)
  await execute(database, scope, query)
}

/**
 * Attempts may end in another order than they started. A time in the future comes from a wrong
 * clock, and is overwritten.
 */
const isBeforeLast = sql`
  judged.at < endpoint.last_delivery_at and endpoint.last_delivery_at <= now()`

interface Outcome {
  number: number
  account_id: string
  endpoint_id: string
  at: string
  status: number
  /** Index of the record. */
  last_success: number | null
  /** Audit entry in case the endpoint is disabled, without the changed fields. */
  audit: AuditRow | undefined
}

/** Aggregates the attempts of a batch, in order, for each endpoint. */
function toOutcomes(records: AttemptRecord[]): Outcome[] {
  const outcomes = new Map<string, Outcome>()
  for (const [number, { delivery, attempt, next }] of records.entries()) {
    const { accountId, lane: endpointId } = delivery
    const before = outcomes.get(endpointId)
    const last = { at: attempt.at, status: attempt.response_status }
    const isSuccess = next.kind === 'succeeded'
    outcomes.set(endpointId, {
      number: before?.number ?? outcomes.size,
      account_id: accountId,
      endpoint_id: endpointId,
      // All times have the same format, so they compare as strings.
      ...(before !== undefined && before.at > last.at
        ? { at: before.at, status: before.status }
        : last),
      last_success: isSuccess ? number : (before?.last_success ?? null),
      // Built only for failures, because most deliveries succeed.
      audit: before?.audit ?? (isSuccess ? undefined : toDisabled(delivery)),
    })
  }
  return [...outcomes.values()]
}

function toDisabled({
  accountId,
  lane: endpointId,
}: AttemptRecord['delivery']): AuditRow | undefined {
  return toAuditRow(accountId, bySystem('deliveries', 'webhook.disabled'), { objectId: endpointId })
}
