import { sql } from 'kysely'
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
