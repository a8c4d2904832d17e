import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { retrieveWorkflow } from '../workflows/retrieve.ts'
import { writeMemory } from './owner.ts'
import type { CreateAgentMemory, MemoryEntry } from './schema.ts'
import type { MemoryScope } from './scope.ts'
import { insertEntry } from './store.ts'

const action = 'create memory entry'

/** Adds a person's entry; in a full scope the oldest that is not pinned makes room. */
export async function createEntry(
  ctx: Context,
  scope: MemoryScope,
  id: string,
  { content, pinned = false }: CreateAgentMemory,
): Promise<MemoryEntry> {
  if (scope.kind === 'role') await checkRole(ctx, scope)
  const added = await writeMemory(ctx, action, scope, async (transaction) => {
    const stored = await insertEntry(transaction, ctx.accountId, scope, {
      id,
      content,
      pinned,
      source: 'user',
      runId: null,
    })
    if (stored !== undefined) {
      await recordAudit(transaction, ctx, { objectId: id, after: stored.entry })
    }
    return stored
  })
  if (added === undefined) {
    throw new DomainError(
      'memory_full',
      `Cannot ${action}: the memory is full and all its entries are pinned, unpin or delete one`,
    )
  }
  const { entry, evictedId } = added
  if (evictedId !== null) {
    const { accountId, log } = ctx
    const { agent_id: agentId, workflow_id: workflowId } = entry
    log.info({ accountId, agentId, workflowId, entryId: id, evictedId }, 'memory entry evicted')
  }
  return entry
}

async function checkRole(
  ctx: Context,
  { workflowId, role }: Extract<MemoryScope, { kind: 'role' }>,
): Promise<void> {
  const { crew } = await retrieveWorkflow(ctx, workflowId, action)
  const roles = crew.map((entry) => entry.role)
  if (roles.includes(role)) return
  throw new DomainError(
    'unknown_role',
    `Cannot ${action}: role is ${JSON.stringify(role)}, expected the crew's: ${roles.join(', ')}`,
    { param: 'role' },
  )
}
