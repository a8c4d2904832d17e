import { sql } from 'kysely'
import type { Authors } from '../../accounts/authors.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { behind, toPage, type Cursor, type Page } from '../../db/keyset.ts'
import { eachOf, pageOf } from '../../db/page.ts'
import { OwnedTable } from '../../db/owned-table.ts'
import { execute } from '../../db/run.ts'
import type { Person } from '../../engine/run/fields.ts'
import { joinRun, startedRun } from '../../engine/reads/runs.ts'
import { deliveryStatuses, hookColumns, type Hook, type HookDelivery } from './schema.ts'

/**
 * SQL of hooks and of the list of their deliveries; `delivery-store.ts` has the SQL that stores and
 * routes them.
 */
export interface HookRow extends Omit<Hook, 'url' | 'has_secret' | 'last_delivery'> {
  address_key: Buffer
  secret: Buffer | null
  previous_secret: Buffer | null
  authors: Authors | null
}

export const hooks = new OwnedTable<HookRow>('hooks', [
  ...hookColumns,
  'address_key',
  'secret',
  'previous_secret',
  'authors',
])

/**
 * Sets a new secret. The old one is accepted for 24 hours; with `keepsPrevious`, the stored
 * previous one stays.
 */
export async function replaceSecret(
  transaction: Transaction,
  accountId: string,
  id: string,
  sealed: Buffer,
  { keepsPrevious, authors }: { keepsPrevious: boolean; authors: Authors },
): Promise<HookRow> {
  const previous = keepsPrevious
    ? sql`previous_secret = previous_secret`
    : sql`previous_secret = secret,
          previous_secret_expires_at = case when secret is not null then now() + interval '24 hours' end`
  const query = sql`
    update hooks set secret = ${sealed}, authors = ${JSON.stringify(authors)}::jsonb, updated_at = now(), ${previous}
    where account_id = ${accountId} and id = ${id}`
  await execute(transaction, accountId, query)
  return (await hooks.find(transaction, accountId, { id })) as HookRow
}

/** The fields of a hook that events need. */
export interface Addressed extends HookRow {
  accountId: string
  isSuspended: boolean
}

export async function findAddressed(
  database: Database,
  accountId: string,
  id: string,
): Promise<Addressed | undefined> {
  const { rows } = await sql<Addressed>`
    select ${hooks.fields}, hooks.account_id as "accountId",
           accounts.suspended_at is not null as "isSuspended"
    from hooks join accounts on accounts.id = hooks.account_id and accounts.deleted_at is null
    where hooks.account_id = ${accountId} and hooks.id = ${id}`.execute(database)
  return rows[0]
}

/** A pending delivery has a reserved run id, which is not shown. */
const deliveryFields = sql`
  delivery.id, delivery.hook_id, delivery.event_id, delivery.event_type, delivery.status, delivery.why,
  ${startedRun('delivery', 'started')},
  delivery.repeats, delivery.content_type, octet_length(delivery.body) as bytes,
  delivery.received_at, delivery.settled_at`

const newest = sql`received_at desc, id desc`

/** Newest first. */
export async function listDeliveries(
  database: Database,
  accountId: string,
  hookId: string,
  { limit, after }: { limit: number; after: Cursor | undefined },
  status: HookDelivery['status'] | undefined,
): Promise<Page<HookDelivery>> {
  const page = pageOf({
    table: 'hook_deliveries',
    where: sql`account_id = ${accountId} and hook_id = ${hookId} and ${behind('received_at', after)}`,
    each: eachOf('status', status, deliveryStatuses),
    order: newest,
    limit: limit + 1,
  })
  const { rows } = await sql<HookDelivery>`
    select ${deliveryFields} from ${page} as delivery ${joinRun('delivery', accountId)}
    order by delivery.received_at desc, delivery.id desc`.execute(database)
  return toPage(rows, limit, (row) => row.received_at)
}

export type DeliveryWithBytes = HookDelivery & {
  headers: Record<string, string>
  body: Buffer
}

export async function findDelivery(
  database: Database | Transaction,
  accountId: string,
  hookId: string,
  id: string,
): Promise<DeliveryWithBytes | undefined> {
  const { rows } = await sql<DeliveryWithBytes>`
    select ${deliveryFields}, delivery.headers, delivery.body
    from hook_deliveries as delivery
    ${joinRun('delivery', accountId)}
    where delivery.account_id = ${accountId} and delivery.hook_id = ${hookId}
      and delivery.id = ${id}`.execute(database)
  return rows[0]
}

/** The newest delivery of each hook, by hook. */
export async function readLastDeliveries(
  database: Database | Transaction,
  accountId: string,
  ids: string[],
): Promise<Map<string, HookDelivery>> {
  const last = pageOf({
    table: 'hook_deliveries',
    where: sql`account_id = ${accountId} and hook_id = wanted.id`,
    each: eachOf('status', undefined, deliveryStatuses),
    order: newest,
    limit: 1,
  })
  const { rows } = await sql<HookDelivery>`
    select ${deliveryFields}
    from unnest(${ids}::text[]) as wanted (id)
    cross join lateral ${last} as delivery
    ${joinRun('delivery', accountId)}`.execute(database)
  return new Map(rows.map((row) => [row.hook_id, row]))
}

/** Routes a delivery again for a person, to a run with this id. False if it is being routed, or was refused. */
export async function sendAgain(
  transaction: Transaction,
  accountId: string,
  id: string,
  runId: string,
  askedBy: Person,
): Promise<boolean> {
  const { rows } = await sql`
    update hook_deliveries
    set status = 'pending', why = null, run_id = ${runId}, tries = 0, next_try_at = now(),
        settled_at = null, asked_by = ${JSON.stringify(askedBy)}::jsonb
    where account_id = ${accountId} and id = ${id} and status <> 'refused'
      and (status <> 'pending' or run_id = ${runId})
    returning 1 as one`.execute(transaction)
  return rows.length > 0
}
