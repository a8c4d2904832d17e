import { sql } from 'kysely'
import type { Database } from '../db/client.ts'
import type { MemoryScope } from './scope.ts'

/**
 * Which of these hold at least one entry, by place in the list; one statement for any number. Lets a
 * batch of runs skip a recall each where there is nothing to recall.
 */
export async function haveMemory(
  database: Database,
  wanted: { accountId: string; scope: MemoryScope }[],
): Promise<boolean[]> {
  if (wanted.length === 0) return []
  const scopes = wanted.map(({ accountId, scope }, number) => ({
    number,
    account_id: accountId,
    agent_id: scope.kind === 'agent' ? scope.agentId : null,
    workflow_id: scope.kind === 'role' ? scope.workflowId : null,
    role: scope.kind === 'role' ? scope.role : null,
  }))
  const { rows } = await sql<{ number: number }>`
    select wanted.number from json_to_recordset(${JSON.stringify(scopes)}::json) as wanted
      (number int, account_id text, agent_id text, workflow_id text, role text)
    where case when wanted.agent_id is not null
      then exists (select from memory_entries as entry
                   where entry.account_id = wanted.account_id and entry.agent_id = wanted.agent_id)
      else exists (select from memory_entries as entry
                   where entry.account_id = wanted.account_id
                     and entry.workflow_id = wanted.workflow_id and entry.role = wanted.role)
    end`.execute(database)
  const found = new Set(rows.map(({ number }) => number))
  return wanted.map((_, number) => found.has(number))
}
