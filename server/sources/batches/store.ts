import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import type { Cursor, Page } from '../../db/keyset.ts'
import { OwnedTable, type RowLock } from '../../db/owned-table.ts'
import { actorType, type Person } from '../../engine/run/fields.ts'
import type { WorkTable } from '../../work/table.ts'
import type { Counts } from './item-store.ts'
import type { Batch } from './schema.ts'

/** SQL of batches; their items are in `item-store.ts`. */

/** A batch as `definition.ts` needs it. */
export interface DueBatch {
  accountId: string
  id: string
  workflowId: string
  name: string | null
  concurrency: number
  status: Batch['status']
  createdBy: string
  creatorName: string
  /** Who retried its failed items. */
  retriedBy: Person | null
}

export async function insertBatch(
  transaction: Transaction,
  accountId: string,
  {
    createdBy,
    workflowId,
    ...batch
  }: {
    id: string
    workflowId: string
    name: string | null
    concurrency: number
    total: number
    createdBy: { id: string; name: string }
  },
): Promise<void> {
  const by = { created_by: createdBy.id, creator_name: createdBy.name }
  const row = { ...batch, ...by, workflow_id: workflowId, queued: batch.total }
  await table.insert(transaction, accountId, row, null)
}

/** How many batches of an account have not ended. */
export async function countOpen(
  database: Database | Transaction,
  accountId: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from batches
    where account_id = ${accountId} and due_at is not null`.execute(database)
  return rows[0]?.count ?? 0
}

interface BatchRow extends Omit<Batch, 'created_by'> {
  created_by: string
  creator_name: string
}

const table = new OwnedTable<BatchRow>('batches', [
  sql`
    id, workflow_id, name, concurrency, status, held, total, queued, running, waiting, completed,
    completed_with_warnings, failed, cancelled, cost_usd::float8 as cost_usd, calls_without_price,
    created_by, creator_name, created_at, finished_at`,
])

function toBatch({ created_by: id, creator_name: name, ...row }: BatchRow): Batch {
  return { ...row, created_by: { type: actorType(id), id, name } }
}

export async function findBatch(
  database: Database | Transaction,
  accountId: string,
  id: string,
  lock?: RowLock,
): Promise<Batch | undefined> {
  const row = await table.find(database, accountId, { id }, lock)
  return row && toBatch(row)
}

export async function listBatches(
  database: Database,
  accountId: string,
  page: { limit: number; after: Cursor | undefined },
  workflowId: string | undefined,
): Promise<Page<Batch>> {
  const of = workflowId === undefined ? {} : { workflow_id: workflowId }
  const { items, next } = await table.list(database, accountId, page, of)
  return { items: items.map(toBatch), next }
}

/** Batches as work: each is due for its next pass. */
export const batches: WorkTable<DueBatch> = {
  name: 'batches',
  isOpen: sql`item.due_at is not null`,
  dueAt: 'due_at',
  leaseSeconds: 30,
  columns: sql`
    claimed.workflow_id as "workflowId", claimed.name, claimed.concurrency, claimed.status,
    claimed.created_by as "createdBy", claimed.creator_name as "creatorName", claimed.retried_by as "retriedBy"`,
  settled: { columns: { held: 'text' } },
}

/** Null if the workflow was deleted. */
export async function readWorkflowName(
  transaction: Transaction,
  { accountId, workflowId }: Pick<DueBatch, 'accountId' | 'workflowId'>,
): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    select name from workflows
    where account_id = ${accountId} and id = ${workflowId}`.execute(transaction)
  return rows[0]?.name ?? null
}

const dueChanges = {
  now: sql`, held = null, due_at = now(), finished_at = null`,
  never: sql`, held = null, due_at = null, finished_at = now()`,
}

/** Records the counts of a batch. It is due now, or never again because it has ended, or as before. */
export async function updateBatch(
  transaction: Transaction,
  { accountId, id }: Pick<DueBatch, 'accountId' | 'id'>,
  { counts, status, due }: { counts: Counts; status: Batch['status']; due?: 'now' | 'never' },
): Promise<Batch> {
  const { queued, running, waiting, completed, failed, cancelled, cost_usd: cost } = counts
  const { completed_with_warnings: warned, calls_without_price: unpriced } = counts
  const { rows } = await sql<BatchRow>`
    update batches
    set queued = ${queued}, running = ${running}, waiting = ${waiting}, completed = ${completed},
        completed_with_warnings = ${warned}, calls_without_price = ${unpriced},
        failed = ${failed}, cancelled = ${cancelled}, cost_usd = ${cost}, status = ${status}
        ${due === undefined ? sql`` : dueChanges[due]}
    where account_id = ${accountId} and id = ${id}
    returning ${table.fields}`.execute(transaction)
  return toBatch(rows[0] as BatchRow)
}
