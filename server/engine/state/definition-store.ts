import { sql } from 'kysely'
import { keyTable } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { andIn, oneAccount } from '../../db/one-account.ts'
import type { HumanInTheLoop, Limits } from '../../workflows/schema.ts'
import type { Definition, StoredEntry } from './definition.ts'

/**
 * SQL of what runs freeze: the workflow of now, and definitions kept by their hash. Each works on a batch.
 */

export interface WorkflowToFreeze {
  id: string
  accountId: string
  model: string
  crew: StoredEntry[]
  human_in_the_loop: HumanInTheLoop
  limits: Limits
  memory_enabled: boolean
  fallbacks: string[]
  /** Its model is the server's default of now. */
  modelInherited: boolean
}

export async function readWorkflows(
  database: Database,
  wanted: { accountId: string; id: string }[],
): Promise<WorkflowToFreeze[]> {
  const { rows } = await sql<WorkflowToFreeze>`
    select workflows.id, workflows.account_id as "accountId", model, crew, human_in_the_loop,
           limits, memory_enabled, fallbacks, model_inherited as "modelInherited"
    from ${keyTable(wanted)} as input
    join workflows on workflows.account_id = input.account_id
      ${andIn('workflows', oneAccount(database, wanted))} and workflows.id = input.id
    `.execute(database)
  return rows
}

export interface StoredDefinition {
  accountId: string
  /** Hexadecimal. */
  hash: string
  body: Definition
}

export async function readDefinitions(
  database: Database,
  wanted: { accountId: string; hash: string }[],
): Promise<StoredDefinition[]> {
  const { rows } = await sql<StoredDefinition>`
    select definitions.account_id as "accountId", input.id as hash, definitions.body
    from ${keyTable(wanted.map(({ accountId, hash }) => ({ accountId, id: hash })))} as input
    join definitions on definitions.account_id = input.account_id
      ${andIn('definitions', oneAccount(database, wanted))}
      and definitions.hash = decode(input.id, 'hex')`.execute(database)
  return rows
}

export async function saveDefinitions(
  database: Database,
  definitions: (Omit<StoredDefinition, 'body'> & { body: unknown })[],
): Promise<void> {
  const input = JSON.stringify(
    definitions.map(({ accountId, hash, body }) => ({ account_id: accountId, hash, body })),
  )
  await sql`
    insert into definitions (account_id, hash, body)
    select account_id, decode(hash, 'hex'), body
    from json_to_recordset(${input}::json) as input (account_id text, hash text, body jsonb)
    order by account_id, hash
    on conflict do nothing`.execute(database)
}
