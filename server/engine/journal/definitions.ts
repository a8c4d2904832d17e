import { sql } from 'kysely'
import { keyTable } from '../../db/fragments.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { execute, run } from '../../db/run.ts'
import type { Source, StoredDefinition } from '../run/definition.ts'

/**
 * SQL of frozen definitions, stored by the hash of their content, and of the workflows that they
 * are made from.
 */

export interface WorkflowToFreeze extends Source {
  id: string
  /** Identifies this revision of this workflow's row, and no other. */
  state: string
  version: number
  accountId: string
  /** The workflow names no model: `model` is the server's current default. */
  modelInherited: boolean
}

/** Changes whenever the row of a workflow is written, by any statement. */
export const workflowState = sql`workflows.id || ' ' || workflows.updated_at || ' ' || workflows.xmin`

export async function readWorkflows(
  database: Database,
  wanted: { accountId: string; id: string }[],
): Promise<WorkflowToFreeze[]> {
  const query = sql<WorkflowToFreeze>`
    select workflows.id, workflows.account_id as "accountId", model, crew, human_in_the_loop,
           limits, memory_enabled, fallbacks, model_inherited as "modelInherited",
           version, ${workflowState} as state
    from ${keyTable(wanted)} as input
    join workflows on workflows.account_id = input.account_id and workflows.id = input.id`
  return run(database, wanted, query)
}

/** Workflow versions that runs were triggered with. Missing ones are left out. */
export async function readVersions(
  database: Database,
  wanted: { accountId: string; id: string; version: number }[],
): Promise<Omit<WorkflowToFreeze, 'state'>[]> {
  const input = JSON.stringify(
    wanted.map(({ accountId, id, version }) => ({ account_id: accountId, id, version })),
  )
  const query = sql<Omit<WorkflowToFreeze, 'state'>>`
    select versions.object_id as id, versions.account_id as "accountId", versions.version,
           definition ->> 'model' as model, definition -> 'crew' as crew,
           definition -> 'human_in_the_loop' as human_in_the_loop, definition -> 'limits' as limits,
           (definition ->> 'memory_enabled')::boolean as memory_enabled,
           definition -> 'fallbacks' as fallbacks, definition ->> 'model' is null as "modelInherited"
    from (select distinct account_id, id, version from json_to_recordset(${input}::json)
            as input (account_id text, id text, version int)) as input
    join versions on versions.account_id = input.account_id and versions.object_id = input.id
      and versions.version = input.version`
  const rows = await run(database, wanted, query)
  return rows.map((row) => ({ ...row, crew: row.crew.map(withSchemaText) }))
}

/**
 * A stored version has its crew in the API's form, with schemas as objects; a definition has them
 * as text.
 */
function withSchemaText(entry: Source['crew'][number]): Source['crew'][number] {
  const { output_schema: schema, tools } = entry
  return {
    ...entry,
    ...(schema != null && { output_schema: JSON.stringify(schema) }),
    ...(tools && {
      tools: tools.map((tool) => ({ ...tool, input_schema: JSON.stringify(tool.input_schema) })),
    }),
  }
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
  database: Database | Transaction,
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
