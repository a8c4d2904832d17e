import { sql } from 'kysely'
import { run } from '../../db/run.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { OwnedTable } from '../../db/owned-table.ts'
import { actorType } from '../../engine/run/fields.ts'
import type { WorkTable } from '../../work/table.ts'
import type { BulkAction, BulkOperation } from './schema.ts'

/** SQL of bulk operations. */

interface Row extends Omit<BulkOperation, 'created_by' | 'status'> {
  created_by: string
  creator_name: string
}

const rows = new OwnedTable<Row>('bulk_operations', [
  sql`
    id, action, matched, done, skipped, held, coalesce(problems, '[]') as problems, created_by,
    creator_name, created_at, finished_at`,
])

export async function insertOperation(
  transaction: Transaction,
  accountId: string,
  {
    createdBy,
    runIds,
    ...operation
  }: {
    id: string
    action: BulkAction
    filter: object
    runIds: string[]
    createdBy: { id: string; name: string }
  },
): Promise<BulkOperation> {
  const by = { created_by: createdBy.id, creator_name: createdBy.name }
  const row = { ...operation, ...by, run_ids: runIds, matched: runIds.length }
  return toOperation((await rows.insert(transaction, accountId, row, null)) as Row)
}

export async function findOperation(
  database: Database,
  accountId: string,
  id: string,
): Promise<BulkOperation | undefined> {
  const row = await rows.find(database, accountId, { id })
  return row && toOperation(row)
}

function toOperation({ created_by: id, creator_name: name, ...row }: Row): BulkOperation {
  const status = row.finished_at === null ? 'running' : 'completed'
  return { ...row, status, created_by: { type: actorType(id), id, name } }
}

export async function countOpen(transaction: Transaction, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from bulk_operations
    where account_id = ${accountId} and due_at is not null`.execute(transaction)
  return rows[0]?.count ?? 0
}

/** An operation with its next runs. */
export interface DueOperation {
  accountId: string
  id: string
  action: BulkAction
  createdBy: string
  creatorName: string
  /** `done + skipped`, by which it is detected that another process has advanced the operation. */
  worked: number
  runIds: string[]
  /** Failed tries by run. */
  triesOf: Record<string, number>
}

/** Runs that one pass works on. */
const runsAtOnce = 50

/** Bulk operations as work: each is due for its next pass. */
export const operations: WorkTable<DueOperation> = {
  name: 'bulk_operations',
  isOpen: sql`item.due_at is not null`,
  dueAt: 'due_at',
  leaseSeconds: 30,
  columns: sql`
    claimed.action, claimed.created_by as "createdBy", claimed.creator_name as "creatorName",
    claimed.done + claimed.skipped as worked, coalesce(claimed.tries, '{}') as "triesOf",
    claimed.run_ids[claimed.done + claimed.skipped + 1 : claimed.done + claimed.skipped + ${sql.lit(runsAtOnce)}]
      as "runIds"`,
  settled: { columns: { held: 'text' } },
}

/** The results of a pass. */
export interface Pass {
  done: number
  /** Skipped runs. */
  problems: BulkOperation['problems']
  /** Runs that are done or skipped. */
  settled: string[]
  /** Runs that are tried again, after the others. */
  later: string[]
  tries: Record<string, number>
  /** Until the next pass, if only runs are left that have to wait. */
  seconds: number
  held: string | null
}

/** Limit of problems that are kept. */
const maxProblems = 100

/**
 * Adds the results of a pass to the counts. Returns the seconds to the next pass; undefined if that was the last run, or
 * another process has made the pass.
 */
export async function recordProgress(
  database: Database,
  { accountId, id, worked, runIds }: DueOperation,
  { done, problems, settled, later, tries, seconds }: Pass,
): Promise<number | undefined> {
  const isOver = sql`done + skipped + ${settled.length}::int >= matched`
  const onlyWaiting = sql<boolean>`done + skipped + ${later.length}::int >= matched`
  const query = sql<{ hasEnded: boolean; onlyWaiting: boolean }>`
    update bulk_operations
    set done = done + ${done}::int, skipped = skipped + ${problems.length}::int,
        due_at = case when not ${isOver} then due_at end,
        finished_at = case when ${isOver} then now() end,
        held = case when not ${isOver} then held end,
        tries = (coalesce(tries, '{}') - ${settled}::text[]) || ${JSON.stringify(tries)}::jsonb,
        problems = case when jsonb_array_length(coalesce(problems, '[]')) >= ${sql.lit(maxProblems)} then problems
                     else coalesce(problems, '[]') || ${JSON.stringify(problems)}::jsonb end,
        run_ids = case when not ${isOver} then
          run_ids[1 : ${worked}::int] || ${settled}::text[]
          || run_ids[${worked + runIds.length + 1}::int :] || ${later}::text[] end
    where account_id = ${accountId} and id = ${id} and done + skipped = ${worked}::int
    returning finished_at is not null as "hasEnded", ${onlyWaiting} as "onlyWaiting"`
  const [row] = await run(database, accountId, query)
  if (row === undefined || row.hasEnded) return undefined
  return row.onlyWaiting ? seconds : 0
}
