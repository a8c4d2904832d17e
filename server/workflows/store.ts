import { sql, type Selectable } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { behind, type Cursor } from '../db/keyset.ts'
import type { Tables } from '../db/tables.ts'
import type { CrewEntry, HumanInTheLoop, Limits, Workflow } from './schema.ts'

/** All SQL of workflows. */
const columns = [
  'id',
  'name',
  'description',
  'status',
  'model',
  'crew',
  'human_in_the_loop',
  'memory_enabled',
  'limits',
  'created_at',
  'updated_at',
] as const

/** The bound that keeps "all workflows of the account" a finite list. */
export const maxWorkflowsPerAccount = 1_000

export type WorkflowFields = Pick<
  Workflow,
  'name' | 'description' | 'model' | 'crew' | 'human_in_the_loop' | 'memory_enabled' | 'limits'
>

/**
 * Inserts a workflow; one that a crashed request made under the same id is returned as it is.
 * Undefined when the account, which must be locked, has as many as it may have.
 */
export async function insertWorkflow(
  transaction: Transaction,
  accountId: string,
  id: string,
  fields: WorkflowFields,
): Promise<Workflow | undefined> {
  const { rows } = await sql<Row>`
    insert into workflows
      (id, account_id, name, description, model, crew, human_in_the_loop, memory_enabled, limits)
    select ${id}, ${accountId}, ${fields.name}, ${fields.description}, ${fields.model},
           ${JSON.stringify(fields.crew)}::jsonb, ${JSON.stringify(fields.human_in_the_loop)}::jsonb,
           ${fields.memory_enabled}::boolean, ${JSON.stringify(fields.limits)}::jsonb
    where (select count(*) from workflows where account_id = ${accountId} and id <> ${id})
          < ${maxWorkflowsPerAccount}::int
    on conflict (account_id, id) do update set id = workflows.id
    returning *`.execute(transaction)
  return rows[0] && toWorkflow(rows[0])
}

export async function listWorkflows(
  database: Database,
  accountId: string,
  limit: number,
  after: Cursor | undefined,
): Promise<Workflow[]> {
  const rows = await database
    .selectFrom('workflows')
    .select(columns)
    .where('account_id', '=', accountId)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .where(behind('updated_at', after))
    .execute()
  return rows.map(toWorkflow)
}

export async function findWorkflow(
  database: Database,
  accountId: string,
  id: string,
): Promise<Workflow | undefined> {
  const row = await ofAccount(database, accountId, id).executeTakeFirst()
  return row && toWorkflow(row)
}

/**
 * Who waits until the transaction ends. `forUpdate`: all who lock the workflow. `forNoKeyUpdate`: those
 * who change or delete it or write its memory; runs may be added. `forKeyShare`: those who change or
 * delete it.
 */
export type LockStrength = 'forUpdate' | 'forNoKeyUpdate' | 'forKeyShare'

/** As `findWorkflow`, locked. */
export async function lockWorkflow(
  transaction: Transaction,
  accountId: string,
  id: string,
  strength: LockStrength,
): Promise<Workflow | undefined> {
  const row = await ofAccount(transaction, accountId, id)[strength]().executeTakeFirst()
  return row && toWorkflow(row)
}

export async function updateWorkflow(
  transaction: Transaction,
  accountId: string,
  workflow: Workflow,
): Promise<Workflow> {
  const row = await transaction
    .updateTable('workflows')
    .set({
      name: workflow.name,
      description: workflow.description,
      status: workflow.status,
      model: workflow.model,
      crew: JSON.stringify(workflow.crew),
      human_in_the_loop: JSON.stringify(workflow.human_in_the_loop),
      memory_enabled: workflow.memory_enabled,
      limits: JSON.stringify(workflow.limits),
      updated_at: sql<Date>`now()`,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', workflow.id)
    .returning(columns)
    .executeTakeFirstOrThrow()
  return toWorkflow(row)
}

/** Bytes of JSON of all the account's workflows; a list of them has no more. */
export async function countWorkflowBytes(
  transaction: Transaction,
  accountId: string,
): Promise<number> {
  const { bytes } = await transaction
    .selectFrom('workflows')
    .select(
      sql<number>`coalesce(sum(octet_length(row_to_json(workflows)::text)), 0)::int`.as('bytes'),
    )
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return bytes
}

export async function deleteWorkflow(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<void> {
  await transaction
    .deleteFrom('workflows')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

function ofAccount(database: Database | Transaction, accountId: string, id: string) {
  return database
    .selectFrom('workflows')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
}

type Row = Pick<Selectable<Tables['workflows']>, (typeof columns)[number]>

function toWorkflow(row: Row): Workflow {
  return {
    ...row,
    crew: row.crew as CrewEntry[],
    human_in_the_loop: row.human_in_the_loop as HumanInTheLoop,
    limits: row.limits as Limits,
  }
}
