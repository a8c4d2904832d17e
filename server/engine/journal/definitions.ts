import { sql } from 'kysely'
import { keyTable } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { execute, run } from '../../db/run.ts'
import type { Source, StoredDefinition } from '../run/definition.ts'

/** Definitions as they are stored, by the hash of their content, and the workflows that they are made of. */

export interface WorkflowToFreeze extends Source {
  id: string
  /** No other workflow has it, nor this one once it is changed. */
  version: string
  accountId: string
  /** Its model is the server's default of now. */
  modelInherited: boolean
}

export const workflowVersion = sql`workflows.id || ' ' || workflows.updated_at || ' ' || workflows.xmin`

export async function readWorkflows(
  database: Database,
  wanted: { accountId: string; id: string }[],
): Promise<WorkflowToFreeze[]> {
  const query = sql<WorkflowToFreeze>`
    select workflows.id, workflows.account_id as "accountId", model, crew, human_in_the_loop,
           limits, memory_enabled, fallbacks, model_inherited as "modelInherited",
           ${workflowVersion} as version
    from ${keyTable(wanted)} as input
    join workflows on workflows.account_id = input.account_id and workflows.id = input.id`
  return run(database, wanted, query)
}

export async function readDefinitions(
  database: Database,
  wanted: { accountId: string; hash: string }[],
): Promise<StoredDefinition[]> {
  const query = sql<StoredDefinition>`
    select definitions.account_id as "accountId", input.id as hash, definitions.body
    from ${keyTable(wanted.map(({ accountId, hash }) => ({ accountId, id: hash })))} as input
    join definitions on definitions.account_id = input.account_id
      and definitions.hash = decode(input.id, 'hex')`
  return run(database, wanted, query)
}

export async function saveDefinitions(
  database: Database,
  definitions: (Omit<StoredDefinition, 'body'> & { body: unknown })[],
): Promise<void> {
  const input = JSON.stringify(
    definitions.map(({ accountId, hash, body }) => ({ account_id: accountId, hash, body })),
  )
  const query = sql`
    insert into definitions (account_id, hash, body)
    select account_id, decode(hash, 'hex'), body
    from json_to_recordset(${input}::json) as input (account_id text, hash text, body jsonb)
    order by account_id, hash
    on conflict do nothing`
  await execute(database, definitions, query)
}
