import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import type { CrewEntry, HumanInTheLoop, Limits } from '../../workflows/schema.ts'
import type { Definition } from './definition.ts'

/** SQL of what runs freeze when they begin. */

export interface WorkflowToFreeze {
  id: string
  accountId: string
  model: string
  crew: CrewEntry[]
  human_in_the_loop: HumanInTheLoop
  limits: Limits
  memory_enabled: boolean
}

export async function readWorkflows(
  database: Database,
  ids: string[],
): Promise<WorkflowToFreeze[]> {
  const { rows } = await sql<WorkflowToFreeze>`
    select id, account_id as "accountId", model, crew, human_in_the_loop, limits, memory_enabled
    from workflows where id = any(${ids})`.execute(database)
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
    select definitions.account_id as "accountId", wanted.hash, definitions.body
    from unnest(${wanted.map((one) => one.accountId)}::text[],
                ${wanted.map((one) => one.hash)}::text[]) as wanted (account_id, hash)
    join definitions on definitions.account_id = wanted.account_id
      and definitions.hash = decode(wanted.hash, 'hex')`.execute(database)
  return rows
}

export async function saveDefinitions(
  database: Database,
  definitions: StoredDefinition[],
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
