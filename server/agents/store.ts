import { sql, type Selectable } from 'kysely'
import { keyTable } from '../db/batch.ts'
import type { Database, Transaction } from '../db/client.ts'
import { behind, type Cursor } from '../db/keyset.ts'
import type { Tables } from '../db/tables.ts'
import type { AgentForRun } from './read-for-runs.ts'
import type { Agent } from './schema.ts'

/** All SQL of agents. */
export const maxAgentsPerAccount = 1_000

export type AgentFields = Omit<Agent, 'id' | 'created_at' | 'updated_at'>

/**
 * Inserts an agent; one that a crashed request made under the same id is returned as it is.
 * Undefined when the account, which must be locked, has as many as it may have.
 */
export async function insertAgent(
  transaction: Transaction,
  accountId: string,
  id: string,
  fields: AgentFields,
): Promise<Agent | undefined> {
  const { rows } = await sql<Row>`
    insert into agents (id, account_id, name, description, category, role, system_prompt, model,
                        max_tokens, connectors, capabilities, status, memory_enabled)
    select ${id}, ${accountId}, ${fields.name}, ${fields.description}, ${fields.category},
           ${fields.role}, ${fields.systemPrompt}, ${fields.model}, ${fields.maxTokens}::int,
           ${fields.connectors}::text[], ${fields.capabilities}::text[], ${fields.status},
           ${fields.memory_enabled}::boolean
    where (select count(*) from agents where account_id = ${accountId} and id <> ${id})
          < ${maxAgentsPerAccount}::int
    on conflict (account_id, id) do update set id = agents.id
    returning *`.execute(transaction)
  return rows[0] && toAgent(rows[0])
}

/** Newest first. */
export async function listAgents(
  database: Database,
  accountId: string,
  filter: { category: string | undefined; limit: number; after: Cursor | undefined },
): Promise<Agent[]> {
  let query = database
    .selectFrom('agents')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .where(behind('created_at', filter.after))
  if (filter.category !== undefined) query = query.where('category', '=', filter.category)
  return (await query.execute()).map(toAgent)
}

export async function findAgent(
  database: Database,
  accountId: string,
  id: string,
): Promise<Agent | undefined> {
  const row = await ofAccount(database, accountId, id).executeTakeFirst()
  return row && toAgent(row)
}

/** As `findAgent`; nobody else changes the row, or writes its memory, until the transaction ends. */
export async function lockAgent(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<Agent | undefined> {
  const row = await ofAccount(transaction, accountId, id).forNoKeyUpdate().executeTakeFirst()
  return row && toAgent(row)
}

export async function updateAgent(
  transaction: Transaction,
  accountId: string,
  agent: Agent,
): Promise<Agent> {
  const row = await transaction
    .updateTable('agents')
    .set({
      name: agent.name,
      description: agent.description,
      category: agent.category,
      role: agent.role,
      system_prompt: agent.systemPrompt,
      model: agent.model,
      max_tokens: agent.maxTokens,
      connectors: agent.connectors,
      capabilities: agent.capabilities,
      status: agent.status,
      memory_enabled: agent.memory_enabled,
      updated_at: sql<Date>`now()`,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', agent.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toAgent(row)
}

/** Bytes of JSON of all the account's agents; a list of them has no more. */
export async function countAgentBytes(
  transaction: Transaction,
  accountId: string,
): Promise<number> {
  const { bytes } = await transaction
    .selectFrom('agents')
    .select(sql<number>`coalesce(sum(octet_length(row_to_json(agents)::text)), 0)::int`.as('bytes'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return bytes
}

/** Deletes an agent; its memory goes with it. */
export async function deleteAgent(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<void> {
  await transaction
    .deleteFrom('agents')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Those that are there, in no order. */
export async function findAgentsForRuns(
  database: Database | Transaction,
  wanted: { accountId: string; id: string }[],
): Promise<AgentForRun[]> {
  const { rows } = await sql<AgentForRun>`
    select distinct agents.id, agents.account_id as "accountId", name, role,
           system_prompt as "systemPrompt", model, max_tokens as "maxTokens", capabilities, status,
           memory_enabled as "memoryEnabled"
    from ${keyTable(wanted)} as wanted
    join agents on agents.account_id = wanted.account_id and agents.id = wanted.id`.execute(
    database,
  )
  return rows
}

function ofAccount(database: Database | Transaction, accountId: string, id: string) {
  return database
    .selectFrom('agents')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
}

type Row = Selectable<Tables['agents']>

function toAgent(row: Row): Agent {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    category: row.category,
    role: row.role,
    systemPrompt: row.system_prompt,
    model: row.model,
    maxTokens: row.max_tokens,
    connectors: row.connectors,
    capabilities: row.capabilities,
    status: row.status,
    memory_enabled: row.memory_enabled,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
