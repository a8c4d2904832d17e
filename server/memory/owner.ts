import { agentNotFound, retrieveAgent } from '../agents/retrieve.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { retrieveWorkflow, workflowNotFound } from '../workflows/retrieve.ts'
import { lockOwner } from './lock-owner.ts'
import type { MemoryOwner } from './scope.ts'

/** Whose memory a path is about; an agent, or a workflow with all its roles. */
export type PathOwner = Exclude<MemoryOwner, { kind: 'role' }>

/** Refuses to read the memory of who is not there. */
export async function checkOwner(ctx: Context, action: string, owner: MemoryOwner): Promise<void> {
  if (owner.kind === 'agent') await retrieveAgent(ctx, owner.agentId, action)
  else await retrieveWorkflow(ctx, owner.workflowId, action)
}

/** Writes memory while nobody else does. */
export function writeMemory<T>(
  ctx: Context,
  action: string,
  owner: MemoryOwner,
  write: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return ctx.database.transaction().execute(async (transaction) => {
    if (!(await lockOwner(transaction, ctx.accountId, owner))) {
      throw owner.kind === 'agent'
        ? agentNotFound(action, owner.agentId)
        : workflowNotFound(action, owner.workflowId)
    }
    return write(transaction)
  })
}

export function entryNotFound(action: string, id: string): DomainError {
  return new DomainError('not_found', `Cannot ${action}: no memory entry ${id}`)
}
