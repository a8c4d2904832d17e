import { lockAgentForMemory } from '../agents/lock-for-memory.ts'
import type { Transaction } from '../db/client.ts'
import { lockWorkflow } from '../workflows/lock.ts'
import type { MemoryOwner } from './scope.ts'

/**
 * Whether the agent or workflow is there. Until the transaction ends nobody else writes its memory, so
 * that the bound of a scope holds and what makes room is not changed meanwhile.
 */
export async function lockOwner(
  transaction: Transaction,
  accountId: string,
  owner: MemoryOwner,
): Promise<boolean> {
  if (owner.kind === 'agent') return lockAgentForMemory(transaction, accountId, owner.agentId)
  return (
    (await lockWorkflow(transaction, accountId, owner.workflowId, 'forNoKeyUpdate')) !== undefined
  )
}
