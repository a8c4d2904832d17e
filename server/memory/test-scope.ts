import { sql } from 'kysely'
import type { Database } from '../db/client.ts'
import { maxEntriesPerScope, type MemoryScope } from './schema.ts'

/** For tests only: adds entries to a scope, each newer than all existing ones. */
export async function fillScope(
  database: Database,
  accountId: string,
  scope: MemoryScope,
  { pinned, count = maxEntriesPerScope }: { pinned: boolean; count?: number },
): Promise<void> {
  const [agentId, workflowId, role] =
    scope.kind === 'agent' ? [scope.agentId, null, null] : [null, scope.workflowId, scope.role]
  await sql`
    insert into memory_entries
      (id, account_id, agent_id, workflow_id, role, content, words, pinned, source)
    select new_id('mem'), ${accountId}, ${agentId}, ${workflowId}, ${role}, 'entry ' || n, '{}',
           ${pinned}::boolean, 'user'
    from generate_series(1, ${count}::int) as n`.execute(database)
}
