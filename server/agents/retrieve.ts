import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { Agent } from './schema.ts'
import { findAgent } from './store.ts'

export async function retrieveAgent(
  ctx: Context,
  id: string,
  action = 'retrieve agent',
): Promise<Agent> {
  const agent = await findAgent(ctx.database, ctx.accountId, id)
  if (agent === undefined) throw agentNotFound(action, id)
  return agent
}

export function agentNotFound(action: string, id: string): DomainError {
  return new DomainError('not_found', `Cannot ${action}: no agent ${id}`)
}
