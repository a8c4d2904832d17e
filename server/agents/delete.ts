import type { Context } from '../context.ts'
import { agentNotFound } from './retrieve.ts'
import { deleteAgent as deleteRow } from './store.ts'

/** Deletes an agent and its memory. Crews that name it keep their entries and run from these. */
export async function deleteAgent(ctx: Context, id: string): Promise<void> {
  if (!(await deleteRow(ctx.database, ctx.accountId, id))) throw agentNotFound('delete agent', id)
}
