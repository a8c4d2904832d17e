import { sql } from 'kysely'
import { fewRows, notice } from '../../db/fragments.ts'
import type { Database } from '../../db/client.ts'
import { asBytes, asTime, execute, run } from '../../db/run.ts'
import { outcomeColumns, type WorkTable } from '../../work/table.ts'
import type { Authors } from '../../accounts/authors.ts'
import type { Person } from '../../engine/run/fields.ts'
import type { Routing } from './render.ts'

/** SQL of deliveries, which are stored once for each event. */

/** Limit of stored deliveries for each hook, and of refused ones. */
const keptDeliveries = 1_000
const keptRefusals = 100
/** Events with the same key within this time are the same event. */
const seenHours = 72

export interface NewDelivery {
  accountId: string
  hookId: string
  id: string
  /** Reserved for the run. */
  runId: string
  eventKey: string
  eventId: string | null
  eventType: string | null
  headers: Record<string, string>
  contentType: string
  bytes: Buffer
  /** The event only tests the address. */
  isPing: boolean
}

/** Notice that wakes the routers of all processes. */
export const hookChannel = 'muster_hooks'

/**
 * Stores deliveries of new events. Returns the id of each event's delivery: the given one, or that
 * of an earlier delivery of the same event; undefined if the hook is deleted.
 */
export async function storeDeliveries(
  database: Database,
  given: NewDelivery[],
): Promise<(string | undefined)[]> {
  const input = given.map(({ bytes, ...delivery }, number) => ({
    number,
    ...delivery,
    body: bytes.toString('hex'),
  }))
  const query = sql<{ number: number; stored: string }>`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(input)}::json) as input
        (number int, "accountId" text, "hookId" text, id text, "runId" text, "eventKey" text, "eventId" text,
         "eventType" text, headers jsonb, "contentType" text, body text, "isPing" boolean)
      where ${fewRows}
    ), hook as materialized (
      -- Sorted, and before the events, so that two batches wait for each other without deadlock.
      select account_id, id from hooks
      where (account_id, id) in (select "accountId", "hookId" from input)
      order by account_id, id for no key update
    ), first as materialized (
      select distinct on (hook.account_id, hook.id, input."eventKey")
             hook.account_id, hook.id as hook_id, input.*,
             count(*) over (partition by hook.account_id, hook.id, input."eventKey") - 1 as again
      from input join hook on hook.account_id = input."accountId" and hook.id = input."hookId"
      order by hook.account_id, hook.id, input."eventKey", input.number
    ), seen as (
      insert into hook_events (account_id, hook_id, event_key, delivery_id)
      select account_id, hook_id, "eventKey", id from first
      on conflict (account_id, hook_id, event_key) do update
        set delivery_id = case when ${isForgotten} then excluded.delivery_id else hook_events.delivery_id end,
            seen_at = case when ${isForgotten} then now() else hook_events.seen_at end
      returning account_id, hook_id, event_key, delivery_id
    ), fresh as (
      select first.*, row_number() over (partition by first.account_id, first.hook_id order by first.number) as place
      from first join seen on seen.account_id = first.account_id and seen.hook_id = first.hook_id
        and seen.event_key = first."eventKey" and seen.delivery_id = first.id
    ), counted as (
      update hooks set delivery_count = delivery_count + part.count
      from (select account_id, hook_id, count(*) as count from fresh group by account_id, hook_id) as part
      where hooks.account_id = part.account_id and hooks.id = part.hook_id
      returning hooks.account_id, hooks.id, hooks.delivery_count, hooks.delivery_count - part.count as before
    ), stored as (
      insert into hook_deliveries
        (account_id, id, hook_id, number, event_id, event_type, headers, content_type, body, status, why, run_id,
         repeats, next_try_at, settled_at)
      select fresh.account_id, fresh.id, fresh.hook_id, counted.before + fresh.place, fresh."eventId",
             fresh."eventType", fresh.headers, fresh."contentType", decode(fresh.body, 'hex'),
             case when fresh."isPing" then 'answered' else 'pending' end,
             case when fresh."isPing" then 'It only checks the address' end, fresh."runId", fresh.again,
             case when not fresh."isPing" then now() end, case when fresh."isPing" then now() end
      from fresh join counted on counted.account_id = fresh.account_id and counted.id = fresh.hook_id
    ), repeated as (
      update hook_deliveries as delivery set repeats = delivery.repeats + first.again + 1
      from first join seen on seen.account_id = first.account_id and seen.hook_id = first.hook_id
        and seen.event_key = first."eventKey"
      where delivery.account_id = seen.account_id and delivery.id = seen.delivery_id
        and seen.delivery_id <> first.id
    ), pruned as (
      delete from hook_deliveries as delivery using counted
      where delivery.account_id = counted.account_id and delivery.hook_id = counted.id
        and delivery.number <= counted.delivery_count - ${sql.lit(keptDeliveries)}
        and delivery.status <> 'pending'
    )
    select input.number, seen.delivery_id as stored, ${notice({ channel: hookChannel, payload: sql`''` })}
    from input join seen on seen.account_id = input."accountId" and seen.hook_id = input."hookId"
      and seen.event_key = input."eventKey"`
  const rows = await run(database, given, query)
  const byNumber = new Map(rows.map(({ number, stored }) => [number, stored]))
  return given.map((_, number) => byNumber.get(number))
}

const isForgotten = sql`hook_events.seen_at < now() - make_interval(hours => ${sql.lit(seenHours)})`

/** How many events of a hook wait for their runs, and their bytes; counts up to `limit`. */
export async function countPending(
  database: Database,
  accountId: string,
  hookId: string,
  limit: number,
): Promise<{ count: number; bytes: number }> {
  const { rows } = await sql<{ count: number; bytes: number }>`
    select count(*)::int as count, coalesce(sum(octet_length(body)), 0)::float8 as bytes
    from (
      select body from hook_deliveries
      where account_id = ${accountId} and hook_id = ${hookId} and status = 'pending'
      limit ${limit}::int) as waiting`.execute(database)
  return rows[0] ?? { count: 0, bytes: 0 }
}

/** Stores a refused request without its body; only the newest few are stored. */
export async function storeRefusal(
  database: Database,
  refusal: Omit<NewDelivery, 'runId' | 'eventKey' | 'bytes' | 'isPing'> & { why: string },
): Promise<void> {
  const { accountId, hookId, id, eventId, eventType, headers, contentType, why } = refusal
  const query = sql`
    with kept as (
      insert into hook_deliveries
        (account_id, id, hook_id, event_id, event_type, headers, content_type, body, status, why, settled_at)
      select account_id, ${id}, id, ${eventId}, ${eventType}, ${JSON.stringify(headers)}::jsonb, ${contentType},
             '', 'refused', ${why}, now()
      from hooks where account_id = ${accountId} and id = ${hookId} for key share
      returning 1
    )
    delete from hook_deliveries
    where account_id = ${accountId} and id in (
      select id from hook_deliveries
      where account_id = ${accountId} and hook_id = ${hookId} and status = 'refused'
      order by received_at desc offset ${sql.lit(keptRefusals - 1)})`
  await execute(database, accountId, query)
}

/** A delivery to route, with its hook's current settings. */
export interface ClaimedDelivery extends Routing {
  accountId: string
  id: string
  runId: string
  eventId: string | null
  eventType: string | null
  headers: Record<string, string>
  contentType: string
  body: Buffer
  receivedAt: Date
  tries: number
  ageSeconds: number
  hookId: string
  hookName: string
  workflowId: string
  authors: Authors | null
  /** Who sent the event again. */
  askedBy: Person | null
}

/** Deliveries as work: each starts a run, is filtered or fails. */
export const deliveries: WorkTable<ClaimedDelivery> = {
  name: 'hook_deliveries',
  isOpen: sql`item.status = 'pending'`,
  dueAt: 'next_try_at',
  leaseSeconds: 15,
  order: ['next_try_at', 'received_at'],
  columns: sql`
    claimed.run_id as "runId", claimed.event_id as "eventId", claimed.event_type as "eventType", claimed.headers,
    claimed.content_type as "contentType", claimed.body, claimed.received_at as "receivedAt", claimed.tries,
    extract(epoch from now() - claimed.received_at)::float8 as "ageSeconds", claimed.asked_by as "askedBy",
    claimed.hook_id as "hookId", hooks.name as "hookName", hooks.workflow_id as "workflowId", hooks.authors,
    hooks.version, hooks.filter, hooks.input, hooks.data, hooks.files, hooks.tags`,
  joins: sql`join hooks on hooks.account_id = claimed.account_id and hooks.id = claimed.hook_id`,
  cast: { body: asBytes, receivedAt: asTime },
  // An event that was sent again meanwhile has another run.
  settled: { columns: { ...outcomeColumns, run_id: 'text' }, same: ['run_id'], at: 'settled_at' },
}
