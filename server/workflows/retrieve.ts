import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { Workflow } from './schema.ts'
import { findWorkflow } from './store.ts'

export async function retrieveWorkflow(
  ctx: Context,
  id: string,
  action = 'retrieve workflow',
): Promise<Workflow> {
  const workflow = await findWorkflow(ctx.database, ctx.accountId, id)
  if (workflow === undefined) throw workflowNotFound(action, id)
  return workflow
}

export function workflowNotFound(action: string, id: string): DomainError {
  return new DomainError('not_found', `Cannot ${action}: no workflow ${id}`)
}
