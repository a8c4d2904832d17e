import { lockAgent } from '../agents/agents.ts'
import type { Transaction } from '../db/client.ts'
import { lockWorkflow } from '../workflows/workflows.ts'
import type { MemoryOwner } from './scope.ts'

/**
 * Locks the agent or workflow against other writes to its memory until the transaction ends, so
 * that the limit of a scope holds. Returns whether it exists.
 */
export async function lockOwner(
  transaction: Transaction,
  accountId: string,
  owner: MemoryOwner,
): Promise<boolean> {
  const found =
    owner.kind === 'agent'
      ? await lockAgent(transaction, accountId, owner.agentId)
      : await lockWorkflow(transaction, accountId, owner.workflowId, 'for no key update')
  return found !== undefined
}
