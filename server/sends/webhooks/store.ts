import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { OwnedTable } from '../../db/owned-table.ts'
import { asTime, execute, run } from '../../db/run.ts'
import type { BodyParts } from './delivery.ts'
import { WebhookDelivery, WebhookEndpoint, type WebhookEventType } from './schema.ts'
import { joinRun, textsOfRun } from '../../engine/reads/runs.ts'
import { deliveryNotice } from '../../engine/journal/record.ts'

/** SQL of endpoints and their delivery history; `definition.ts` and `delivery-store.ts` have those of the sender. */
export const endpoints = new OwnedTable<WebhookEndpoint>(
  'webhook_endpoints',
  Object.keys(WebhookEndpoint.properties),
)
const { workflow: _, ...stored } = WebhookDelivery.properties
export const deliveries = new OwnedTable<WebhookDelivery>('webhook_deliveries', [
  ...Object.keys(stored),
  // As it was called when the event happened, like in the body.
  sql`webhook_deliveries.snapshot -> 'workflow' as workflow`,
])

/**
 * Condition: not deleted. A deleted endpoint is a row until the background loop has deleted its
 * history.
 */
export const isThere = { deleted_at: null } as const

/** How many deleted endpoints still have a row, and whether a given one is among them. */
export async function readDeleted(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<{ count: number; hasOne: boolean }> {
  const { rows } = await sql<{ count: number; hasOne: boolean }>`
    select count(*)::int as count, coalesce(bool_or(id = ${id}), false) as "hasOne"
    from webhook_endpoints
    where account_id = ${accountId} and deleted_at is not null`.execute(transaction)
  return rows[0] ?? { count: 0, hasOne: false }
}

/** The old secret keeps signing for 24 hours, or the one before it until its own end. */
export async function replaceSecret(
  transaction: Transaction,
  accountId: string,
  id: string,
  sealed: Buffer,
  { keepsPrevious }: { keepsPrevious: boolean },
): Promise<WebhookEndpoint> {
  const previous = keepsPrevious
    ? sql`previous_secret = previous_secret`
    : sql`previous_secret = secret, previous_secret_expires_at = now() + interval '24 hours'`
  const { rows } = await sql<WebhookEndpoint>`
    update webhook_endpoints
    set secret = ${sealed}, updated_at = now(), ${previous}
    where account_id = ${accountId} and id = ${id}
    returning ${endpoints.fields}`.execute(transaction)
  return rows[0] as WebhookEndpoint
}

/** Also deactivates it, so that no deliveries are inserted or claimed for it. */
export async function markDeleted(
  database: Database | Transaction,
  accountId: string,
  id: string,
): Promise<void> {
  await sql`
    update webhook_endpoints set active = false, deleted_at = now()
    where account_id = ${accountId} and id = ${id}`.execute(database)
}

/** Number of scheduled attempts that leaves none. */
const noneLeft = sql.lit(32_767)

const deliveryTimes = { next_attempt_at: asTime, created_at: asTime }

/** A delivery of a test event, without scheduled attempts. */
export async function insertTestDelivery(
  database: Database,
  accountId: string,
  endpointId: string,
  { id, eventId, snapshot }: { id: string; eventId: string; snapshot: unknown },
): Promise<WebhookDelivery | undefined> {
  const query = sql<WebhookDelivery>`
    insert into webhook_deliveries
      (id, account_id, endpoint_id, event_id, event_type, snapshot, manual_requests,
       scheduled_attempts)
    select ${id}, account_id, id, ${eventId}, 'webhook.test',
           ${JSON.stringify(snapshot)}::jsonb, 1, ${noneLeft}
    from webhook_endpoints
    where account_id = ${accountId} and id = ${endpointId} and deleted_at is null
    for key share
    on conflict (account_id, id) do update set id = webhook_deliveries.id
    returning ${deliveries.fields}, ${deliveryNotice}`
  const [delivery] = await run(database, accountId, query, deliveryTimes)
  return delivery
}

/** An event that is not about a single run, such as the end of a batch. */
export interface AccountEvent {
  id: string
  type: WebhookEventType
  /** `data` of the body. */
  data: object
  /** Endpoints of one workflow only get that workflow's events. */
  workflowId: string | null
}

/** Inserts a delivery of such an event for each endpoint that subscribes to it. */
export async function insertDeliveries(
  transaction: Database | Transaction,
  accountId: string,
  event: AccountEvent,
): Promise<void> {
  const query = sql`
    with written as (
      insert into webhook_deliveries (account_id, id, endpoint_id, event_id, event_type, snapshot)
      select account_id, new_id('dlv'), id, ${event.id}, ${event.type}, ${JSON.stringify(event.data)}::jsonb
      from webhook_endpoints as endpoint
      where account_id = ${accountId} and active and ${event.type} = any (events)
        and coalesce(workflow_id, ${event.workflowId}, '') = coalesce(${event.workflowId}, '')
      for key share
      returning 1)
    select ${deliveryNotice} from written limit 1`
  await execute(transaction, accountId, query)
}

export type DeliveryParts = WebhookDelivery & Pick<BodyParts, 'snapshot' | 'run'>

/** A delivery with the parts of its body. */
export async function findWithBody(
  database: Database,
  accountId: string,
  endpointId: string,
  id: string,
): Promise<DeliveryParts | undefined> {
  const { rows } = await sql<DeliveryParts>`
    select ${deliveries.fields}, snapshot, ${textsOfRun} as run
    from webhook_deliveries
    ${joinRun('webhook_deliveries', accountId)}
    where webhook_deliveries.account_id = ${accountId} and endpoint_id = ${endpointId}
      and webhook_deliveries.id = ${id}`.execute(database)
  return rows[0]
}

/** Limit of manual attempts, which bounds the history. */
export const maxAttempts = 100

/** Requests a manual attempt at once. Undefined if the delivery does not exist. */
export async function requestRedelivery(
  database: Database,
  accountId: string,
  endpointId: string,
  id: string,
): Promise<(WebhookDelivery & { is_full: boolean }) | undefined> {
  const query = sql<WebhookDelivery & { is_full: boolean }>`
    with found as (
      select id, jsonb_array_length(attempts) + manual_requests >= ${maxAttempts}::int as is_full
      from webhook_deliveries
      where account_id = ${accountId} and endpoint_id = ${endpointId} and id = ${id}
      for update
    ), updated as (
      update webhook_deliveries
      set status = 'pending', next_attempt_at = now(), manual_requests = manual_requests + 1,
          -- A settled delivery is attempted this once; a pending one continues its schedule.
          scheduled_attempts = case when status = 'pending' then scheduled_attempts
            else ${noneLeft} end
      from found
      where webhook_deliveries.account_id = ${accountId} and webhook_deliveries.id = found.id
        and not found.is_full
      returning ${deliveries.fields}, ${deliveryNotice}
    )
    select found.is_full, updated.* from found left join updated on true`
  const [delivery] = await run(database, accountId, query, deliveryTimes)
  return delivery
}
