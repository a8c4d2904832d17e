import type { Context } from '../context.ts'
import { checkReferences } from './check-references.ts'
import { workflowNotFound } from './retrieve.ts'
import type { UpdateWorkflow, Workflow } from './schema.ts'
import * as store from './store.ts'

/** Changes the fields that are given; runs that have begun keep what they froze. */
export async function updateWorkflow(
  ctx: Context,
  id: string,
  input: UpdateWorkflow,
): Promise<Workflow> {
  await checkReferences(ctx, 'update workflow', input)
  return ctx.database.transaction().execute(async (transaction) => {
    const current = await store.lockWorkflow(transaction, ctx.accountId, id, 'forUpdate')
    if (current === undefined) throw workflowNotFound('update workflow', id)
    return store.updateWorkflow(transaction, ctx.accountId, {
      ...current,
      ...input,
      human_in_the_loop: { ...current.human_in_the_loop, ...input.human_in_the_loop },
      limits: { ...current.limits, ...input.limits },
    })
  })
}
