import { notifySenders } from './notify.ts'
import { sql, type Selectable } from 'kysely'
import { lockAccount } from '../accounts/lock.ts'
import type { Database, Transaction } from '../db/client.ts'
import { behind, type Cursor } from '../db/keyset.ts'
import type { Tables } from '../db/generated-tables.ts'
import type { WebhookDelivery, WebhookEndpoint } from './schema.ts'

/** SQL of endpoints and of their delivery history; `delivery-store.ts` has what the sender needs. */
const columns = [
  'id',
  'url',
  'description',
  'events',
  'workflow_id',
  'active',
  'consecutive_failures',
  'disabled_at',
  'disabled_reason',
  'last_delivery_at',
  'last_delivery_status',
  'created_at',
  'updated_at',
] as const

export const maxEndpointsPerAccount = 20

export interface NewEndpoint {
  id: string
  url: string
  description: string | null
  events: string[]
  workflowId: string | null
  sealedSecret: Buffer
}

/**
 * Inserts an endpoint; one that a crashed request made under the same id gets the new secret.
 * Undefined when the account has as many as it may have.
 */
export async function insertEndpoint(
  transaction: Transaction,
  accountId: string,
  endpoint: NewEndpoint,
): Promise<WebhookEndpoint | undefined> {
  // Those who add at once wait for each other, so that the bound holds.
  await lockAccount(transaction, accountId)
  const { rows } = await sql<Row>`
    insert into webhook_endpoints (id, account_id, url, description, events, workflow_id, secret)
    select ${endpoint.id}, ${accountId}, ${endpoint.url}, ${endpoint.description},
           ${endpoint.events}::text[], ${endpoint.workflowId}, ${endpoint.sealedSecret}::bytea
    where (select count(*) from webhook_endpoints
           where account_id = ${accountId} and id <> ${endpoint.id})
          < ${maxEndpointsPerAccount}::int
    on conflict (account_id, id) do update set secret = excluded.secret
    returning *`.execute(transaction)
  return rows[0] && toEndpoint(rows[0])
}

export async function listEndpoints(
  database: Database,
  accountId: string,
  limit: number,
  after: Cursor | undefined,
): Promise<WebhookEndpoint[]> {
  const rows = await database
    .selectFrom('webhook_endpoints')
    .select(columns)
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .where(behind('created_at', after))
    .execute()
  return rows.map(toEndpoint)
}

export async function findEndpoint(
  database: Database,
  accountId: string,
  id: string,
): Promise<WebhookEndpoint | undefined> {
  const row = await database
    .selectFrom('webhook_endpoints')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toEndpoint(row)
}

/** As `findEndpoint`; nobody else changes it until the transaction ends. */
export async function lockEndpoint(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<WebhookEndpoint | undefined> {
  const row = await transaction
    .selectFrom('webhook_endpoints')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row && toEndpoint(row)
}

export interface EndpointChange {
  url?: string
  description?: string | null
  events?: string[]
  workflowId?: string | null
  active?: boolean
}

/** Changes the given fields; making it active forgets its failures. */
export async function updateEndpoint(
  transaction: Transaction,
  accountId: string,
  id: string,
  change: EndpointChange,
): Promise<WebhookEndpoint> {
  const row = await transaction
    .updateTable('webhook_endpoints')
    .set({
      updated_at: sql<Date>`now()`,
      ...(change.url === undefined ? {} : { url: change.url }),
      ...(change.description === undefined ? {} : { description: change.description }),
      ...(change.events === undefined ? {} : { events: change.events }),
      ...(change.workflowId === undefined ? {} : { workflow_id: change.workflowId }),
      ...(change.active === undefined ? {} : { active: change.active }),
      ...(change.active === true
        ? { consecutive_failures: 0, disabled_at: null, disabled_reason: null }
        : {}),
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
  return toEndpoint(row)
}

/** The old secret goes on signing for 24 hours. */
export async function rotateSecret(
  transaction: Transaction,
  accountId: string,
  id: string,
  sealedSecret: Buffer,
): Promise<WebhookEndpoint | undefined> {
  const row = await transaction
    .updateTable('webhook_endpoints')
    .set({
      secret: sealedSecret,
      previous_secret: sql<Buffer>`secret`,
      previous_secret_expires_at: sql<Date>`now() + interval '24 hours'`,
      updated_at: sql<Date>`now()`,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
  return row && toEndpoint(row)
}

/** Before a deletion, so that statements of runs that begin now do not wait until a long history is gone. */
export async function switchOff(database: Database, accountId: string, id: string): Promise<void> {
  await database
    .updateTable('webhook_endpoints')
    .set({ active: false })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Deletes an endpoint with its delivery history. */
export async function deleteEndpoint(
  transaction: Database | Transaction,
  accountId: string,
  id: string,
): Promise<WebhookEndpoint | undefined> {
  const row = await transaction
    .deleteFrom('webhook_endpoints')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
  return row && toEndpoint(row)
}

const deliveryColumns = [
  'id',
  'event_id',
  'event_type',
  'run_id',
  'status',
  'attempts',
  'next_attempt_at',
  'created_at',
] as const

/** Newest first. */
export async function listDeliveries(
  database: Database,
  accountId: string,
  endpointId: string,
  filter: {
    limit: number
    after: Cursor | undefined
    status: WebhookDelivery['status'] | undefined
  },
): Promise<WebhookDelivery[]> {
  let query = database
    .selectFrom('webhook_deliveries')
    .select(deliveryColumns)
    .where('account_id', '=', accountId)
    .where('endpoint_id', '=', endpointId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .where(behind('created_at', filter.after))
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  return (await query.execute()).map(toDelivery)
}

/** As the number of scheduled attempts: none of the schedule is left. */
const noneLeft = sql.lit(32_767)

/** A delivery of a test event; no attempt of the schedule is left to it. */
export async function insertTestDelivery(
  database: Database,
  accountId: string,
  endpointId: string,
  delivery: { id: string; eventId: string; snapshot: unknown },
): Promise<WebhookDelivery | undefined> {
  const { rows } = await sql<DeliveryRow>`
    insert into webhook_deliveries
      (id, account_id, endpoint_id, event_id, event_type, snapshot, manual_requests,
       scheduled_attempts)
    select ${delivery.id}, account_id, id, ${delivery.eventId}, 'webhook.test',
           ${JSON.stringify(delivery.snapshot)}::jsonb, 1, ${noneLeft}
    from webhook_endpoints where account_id = ${accountId} and id = ${endpointId}
    for key share
    on conflict (account_id, id) do update set id = webhook_deliveries.id
    returning *, ${notifySenders}`.execute(database)
  return rows[0] && toDelivery(rows[0])
}

/** An end to attempts by hand, so that the history stays a bounded row. */
export const maxAttempts = 100

/** Asks for an attempt at once, by hand. Undefined where there is no such delivery. */
export async function requestRedelivery(
  database: Database,
  accountId: string,
  endpointId: string,
  id: string,
): Promise<WebhookDelivery | 'too-many' | undefined> {
  const { rows } = await sql<DeliveryRow & { is_full: boolean }>`
    with found as (
      select id, jsonb_array_length(attempts) + manual_requests >= ${maxAttempts}::int as is_full
      from webhook_deliveries
      where account_id = ${accountId} and endpoint_id = ${endpointId} and id = ${id}
      for update
    ), updated as (
      update webhook_deliveries
      set status = 'pending', next_attempt_at = now(), manual_requests = manual_requests + 1,
          -- What was settled is tried this once; pending deliveries continue with its schedule.
          scheduled_attempts = case status when 'pending' then scheduled_attempts
            else ${noneLeft} end
      from found
      where webhook_deliveries.account_id = ${accountId} and webhook_deliveries.id = found.id
        and not found.is_full
      returning webhook_deliveries.*, ${notifySenders}
    )
    select found.is_full, updated.* from found left join updated on true`.execute(database)
  const [row] = rows
  if (row === undefined) return undefined
  return row.is_full ? 'too-many' : toDelivery(row)
}

type Row = Pick<Selectable<Tables['webhook_endpoints']>, (typeof columns)[number]>

function toEndpoint(row: Row): WebhookEndpoint {
  // Picked by name, so that a secret never slips into an answer.
  return Object.fromEntries(columns.map((column) => [column, row[column]])) as WebhookEndpoint
}

type DeliveryRow = Pick<Selectable<Tables['webhook_deliveries']>, (typeof deliveryColumns)[number]>

function toDelivery(row: DeliveryRow): WebhookDelivery {
  const attempts = row.attempts as (Omit<WebhookDelivery['attempts'][number], 'at'> & {
    at: string
  })[]
  const { id, event_id, event_type, run_id, status, next_attempt_at, created_at } = row
  return {
    id,
    event_id,
    event_type,
    run_id,
    status,
    next_attempt_at,
    created_at,
    attempts: attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })),
  }
}
