import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { eachPart, inScope, run } from '../db/run.ts'
import { actorType } from '../engine/run/fields.ts'
import { mayWork } from '../work/claim.ts'
import type { BulkAction, BulkOperation } from './schema.ts'

/** SQL of bulk operations. */

const fields = sql`
  id, action, matched, done, skipped, held, coalesce(problems, '[]') as problems, created_by, creator_name,
  created_at, finished_at`

type Row = Omit<BulkOperation, 'created_by' | 'status'> & {
  created_by: string
  creator_name: string
}

export async function insertOperation(
  transaction: Transaction,
  accountId: string,
  {
    id,
    action,
    filter,
    runIds,
    createdBy,
  }: {
    id: string
    action: BulkAction
    filter: object
    runIds: string[]
    createdBy: { id: string; name: string }
  },
): Promise<void> {
  await sql`
    insert into bulk_operations (account_id, id, action, filter, run_ids, matched, created_by, creator_name)
    values (${accountId}, ${id}, ${action}, ${JSON.stringify(filter)}::json, ${runIds}, ${runIds.length},
            ${createdBy.id}, ${createdBy.name})`.execute(transaction)
}

export async function findOperation(
  database: Database | Transaction,
  accountId: string,
  id: string,
): Promise<BulkOperation | undefined> {
  const { rows } = await sql<Row>`
    select ${fields} from bulk_operations where account_id = ${accountId} and id = ${id}`.execute(
    database,
  )
  const [row] = rows
  if (row === undefined) return undefined
  const { created_by: author, creator_name: name, ...rest } = row
  const status = row.finished_at === null ? 'running' : 'completed'
  return { ...rest, status, created_by: { type: actorType(author), id: author, name } }
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
  tries: Record<string, number>
}

const lease = sql`interval '30 seconds'`

/** Claims unclaimed operations, the longest due first. */
export async function claimDue(
  database: Database,
  { operations, runs }: { operations: number; runs: number },
): Promise<DueOperation[]> {
  const due = sql`bulk_operations where due_at <= now() and ${mayWork('bulk_operations')}`
  const claimed: DueOperation[] = []
  await eachPart(database, due, async (scope, connection) => {
    const query = sql<DueOperation>`
      update bulk_operations set due_at = now() + ${lease}
      where ctid = any(array(
        select ctid from ${due} ${inScope('bulk_operations', scope)}
        order by due_at limit ${operations}::int for update skip locked))
      returning account_id as "accountId", id, action, created_by as "createdBy",
                creator_name as "creatorName", done + skipped as worked,
                coalesce(tries, '{}') as tries,
                run_ids[done + skipped + 1 : done + skipped + ${runs}::int] as "runIds"`
    return claimed.push(...(await run(connection, scope, query)))
  })
  return claimed
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

/** Adds the results of a pass to the counts; ends the operation after its last run. */
export async function recordProgress(
  database: Database,
  { accountId, id, worked, runIds }: DueOperation,
  { done, problems, settled, later, tries, seconds, held }: Pass,
): Promise<void> {
  const isOver = sql`done + skipped + ${settled.length}::int >= matched`
  const onlyWaiting = sql`done + skipped + ${settled.length + later.length}::int >= matched`
  await sql`
    update bulk_operations
    set done = done + ${done}::int, skipped = skipped + ${problems.length}::int,
        due_at = case when ${isOver} then null
                   when ${onlyWaiting} then (select now()) + ${seconds}::float8 * interval '1 second'
                   else (select now()) end,
        finished_at = case when ${isOver} then (select now()) end,
        held = ${held},
        tries = (coalesce(tries, '{}') - ${settled}::text[]) || ${JSON.stringify(tries)}::jsonb,
        problems = case when jsonb_array_length(coalesce(problems, '[]')) >= ${sql.lit(maxProblems)} then problems
                     else coalesce(problems, '[]') || ${JSON.stringify(problems)}::jsonb end,
        run_ids = case when not ${isOver} then
          run_ids[1 : ${worked}::int] || ${settled}::text[]
          || run_ids[${worked + runIds.length + 1}::int :] || ${later}::text[] end
    where account_id = ${accountId} and id = ${id} and done + skipped = ${worked}::int`.execute(
    database,
  )
}
