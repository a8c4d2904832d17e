import { sql } from 'kysely'
import { keyTable } from '../db/fragments.ts'
import type { Database, Transaction } from '../db/client.ts'
import { OwnedTable } from '../db/owned-table.ts'
import { run } from '../db/run.ts'
import type { AgentForRun } from '../engine/run/definition.ts'
import { toStoredTools } from './caller-tools.ts'
import { Agent, type CallerTool } from './schema.ts'

/** All SQL of agents. */
export const agents = new OwnedTable<Agent>('agents', Object.keys(Agent.properties))

/** The existing agents of these ids, in any order. */
export async function findAgentsForRuns(
  database: Database | Transaction,
  wanted: { accountId: string; id: string }[],
): Promise<AgentForRun[]> {
  const query = sql<Omit<AgentForRun, 'tools'> & { tools: string }>`
    select distinct agents.id, agents.account_id as "accountId", version, name, role,
           system_prompt as "systemPrompt", model, fallbacks, max_tokens as "maxTokens", capabilities, status,
           memory_enabled as "memoryEnabled",
           output_schema::text as "outputSchema", rules, tools::text as tools
    from ${keyTable(wanted)} as wanted
    join agents on agents.account_id = wanted.account_id and agents.id = wanted.id`
  const rows = await run(database, wanted, query)
  return rows.map(({ tools, ...agent }) => ({
    ...agent,
    tools: toStoredTools(JSON.parse(tools) as CallerTool[]),
  }))
}
