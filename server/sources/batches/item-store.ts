import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { execute, run } from '../../db/run.ts'
import { eachOf, pageOf } from '../../db/page.ts'
import type { Person } from '../../engine/run/fields.ts'
import type { CreateRun } from '../../engine/wire/run.ts'
import { itemStatuses, type Batch, type BatchItem, type ItemStatus } from './schema.ts'
import type { DueBatch } from './store.ts'

/** SQL of the items of batches. */

type Key = Pick<DueBatch, 'accountId' | 'id'>

export interface NewItem {
  position: number
  key: string | null
  /** Name of its first file. */
  file: string | null
  item: CreateRun
  run_id: string
}

export interface StoredItem extends Omit<NewItem, 'file'> {
  status: ItemStatus
  retry_of: string | null
  /** Failed tries to start it. */
  tries: number
}

/** Limit of items for one statement. */
const itemsAtOnce = 500
/** Characters of JSON of the items that are written at once. */
const lengthAtOnce = 1024 * 1024

export async function insertItems(
  transaction: Transaction,
  accountId: string,
  batchId: string,
  items: AsyncIterable<NewItem>,
): Promise<void> {
  for await (const rows of rowsOf(items)) {
    await sql`
      insert into batch_items (account_id, batch_id, position, key, file, item, run_id)
      select ${accountId}, ${batchId}, position, key, file, item, run_id
      from json_to_recordset(${rows}::json) as item (position int, key text, file text, item json, run_id text)`.execute(
      transaction,
    )
  }
}

/** JSON arrays of some items each. */
async function* rowsOf(items: AsyncIterable<NewItem>): AsyncGenerator<string> {
  let rows: string[] = []
  let length = 0
  for await (const item of items) {
    const row = JSON.stringify(item)
    rows.push(row)
    length += row.length
    if (rows.length < itemsAtOnce && length < lengthAtOnce) continue
    yield `[${rows.join(',')}]`
    rows = []
    length = 0
  }
  if (rows.length > 0) yield `[${rows.join(',')}]`
}

/** An item without the output of its run. */
export type ListedItem = Omit<BatchItem, 'output_json'>

export interface ItemsQuery {
  limit: number
  after: number
  status?: ItemStatus | undefined
  /** Only items whose run completed with warnings. */
  hasWarnings?: boolean | undefined
}

/** Items after a position, in their order. */
export async function listItems(
  database: Database,
  accountId: string,
  batchId: string,
  { limit, after, status, hasWarnings }: ItemsQuery,
): Promise<ListedItem[]> {
  // The key of the items has their position; the other indexes have the status before it.
  const isWalked = status === undefined && hasWarnings !== true
  const page = pageOf({
    table: 'batch_items',
    where: sql`account_id = ${accountId} and batch_id = ${batchId} and position > ${after}::int
      and ${hasWarnings === true ? sql`has_warnings` : sql`true`}`,
    each: isWalked ? [] : eachOf('status', status, itemStatuses),
    order: sql`position`,
    limit,
  })
  const { rows } = await sql<ListedItem>`
    select position, key, file, item -> 'files' ->> 0 as file_id, status, case when status <> 'queued' then run_id end as run_id, retry_of, error,
           has_warnings as run_has_warnings, cost_usd::float8 as cost_usd, calls_without_price
    from ${page} as batch_items order by position`.execute(database)
  return rows
}

/** Items in these statuses that need not wait after a failed try, in their order. */
export async function readItems(
  database: Database,
  { accountId, id }: Key,
  statuses: ItemStatus[],
  limit: number,
): Promise<StoredItem[]> {
  const { rows } = await sql<StoredItem>`
    select position, key, item, run_id, retry_of, status, tries from batch_items
    where account_id = ${accountId} and batch_id = ${id} and status = any(${statuses})
      and (next_try_at is null or next_try_at <= now())
    order by position limit ${limit}::int`.execute(database)
  return rows
}

export interface ItemChange {
  position: number
  /**
   * The run that the change is about; if the item has been retried, it has another run, and the
   * change is ignored.
   */
  run_id: string
  status: ItemStatus
  error: string | null
  /** What its run cost, once it has ended. */
  cost_usd: number
  calls_without_price: number
  has_warnings: boolean
  /** Failed tries to start it; unchanged if it has started. */
  tries?: number
  /** Until the next try to start it. */
  waitSeconds?: number
}

/** Records changes of items. */
export async function changeItems(
  transaction: Transaction,
  { accountId, id }: Key,
  changes: ItemChange[],
): Promise<void> {
  if (changes.length === 0) return
  const query = sql`
    update batch_items as item
    set status = change.status, error = change.error, cost_usd = item.cost_usd + change.cost_usd,
        calls_without_price = item.calls_without_price + change.calls_without_price,
        has_warnings = change.has_warnings,
        tries = coalesce(change.tries, item.tries),
        next_try_at = now() + change."waitSeconds" * interval '1 second'
    from json_to_recordset(${JSON.stringify(changes)}::json) as change
      (position int, run_id text, status text, error text, cost_usd numeric, calls_without_price int, has_warnings boolean, tries int, "waitSeconds" float8)
    where item.account_id = ${accountId} and item.batch_id = ${id} and item.position = change.position
      and item.run_id = change.run_id and item.status in ('queued', 'running', 'waiting')`
  await execute(transaction, accountId, query)
}

/** Cancels the items that have not started. */
export async function cancelQueued(
  transaction: Transaction,
  { accountId, id }: Key,
): Promise<void> {
  await sql`
    update batch_items set status = 'cancelled'
    where account_id = ${accountId} and batch_id = ${id} and status = 'queued'`.execute(transaction)
}

/** Failed items start again for a person, each under a new run id. Returns how many. */
export async function requeueFailed(
  transaction: Transaction,
  accountId: string,
  id: string,
  retriedBy: Person,
): Promise<number> {
  const query = sql<{ position: number }>`
    update batch_items
    set status = 'queued', retry_of = run_id, run_id = new_id('run'), error = null, tries = 0,
        next_try_at = null
    where account_id = ${accountId} and batch_id = ${id} and status = 'failed'
    returning position`
  const count = (await run(transaction, accountId, query)).length
  if (count > 0) {
    await sql`
      update batches set retried_by = ${JSON.stringify(retriedBy)}::jsonb
      where account_id = ${accountId} and id = ${id}`.execute(transaction)
  }
  return count
}

const mostNamedFiles = 100

/** Names of the first files of the items, by id. */
export async function readFileNames(
  transaction: Transaction,
  { accountId, id }: Key,
): Promise<Record<string, string>> {
  const { rows } = await sql<{ file_id: string; file: string }>`
    select item -> 'files' ->> 0 as file_id, file from batch_items
    where account_id = ${accountId} and batch_id = ${id} and file is not null
    order by position limit ${sql.lit(mostNamedFiles)}`.execute(transaction)
  return Object.fromEntries(rows.map(({ file_id, file }) => [file_id, file]))
}

export type Counts = Pick<
  Batch,
  ItemStatus | 'completed_with_warnings' | 'cost_usd' | 'calls_without_price'
>

export async function countItems(
  transaction: Transaction,
  { accountId, id }: Key,
): Promise<Counts> {
  const of = (one: ItemStatus) =>
    sql`count(*) filter (where status = ${sql.lit(one)})::int as ${sql.ref(one)}`
  const { rows } = await sql<Counts>`
    select ${sql.join(itemStatuses.map(of))},
           count(*) filter (where status = 'completed' and has_warnings)::int as completed_with_warnings,
           coalesce(sum(cost_usd), 0)::float8 as cost_usd,
           coalesce(sum(calls_without_price), 0)::int as calls_without_price
    from batch_items where account_id = ${accountId} and batch_id = ${id}`.execute(transaction)
  return rows[0] as Counts
}
