import { lockAgent } from '../agents/agents.ts'
import type { Transaction } from '../db/client.ts'
import { lockWorkflow } from '../workflows/workflows.ts'
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
  const found =
    owner.kind === 'agent'
      ? await lockAgent(transaction, accountId, owner.agentId)
      : await lockWorkflow(transaction, accountId, owner.workflowId, 'for no key update')
  return found !== undefined
}
