import { checkListBytes, isLarger } from '../accounts/list-bytes.ts'
import { lockAccount } from '../accounts/lock.ts'
import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { checkReferences } from './check-references.ts'
import { changeHumanInTheLoop } from './human-in-the-loop.ts'
import { workflowNotFound } from './retrieve.ts'
import type { UpdateWorkflow, Workflow } from './schema.ts'
import * as store from './store.ts'

/** Changes the fields that are given; runs that have begun keep what they froze. */
export async function updateWorkflow(
  ctx: Context,
  id: string,
  input: UpdateWorkflow,
): Promise<Workflow> {
  const action = 'update workflow'
  await checkReferences(ctx, action, input)
  return ctx.database.transaction().execute(async (transaction) => {
    await lockAccount(transaction, ctx.accountId)
    const current = await store.lockWorkflow(transaction, ctx.accountId, id, 'forUpdate')
    if (current === undefined) throw workflowNotFound(action, id)
    const changed = {
      ...current,
      ...input,
      human_in_the_loop: await changeHumanInTheLoop(
        { ...ctx, database: transaction },
        action,
        current.human_in_the_loop,
        input.human_in_the_loop,
      ),
      limits: { ...current.limits, ...input.limits },
    }
    const updated = await store.updateWorkflow(transaction, ctx.accountId, changed)
    await recordAudit(transaction, ctx, { objectId: id, before: current, after: updated })
    if (isLarger(changed, current)) {
      const bytes = await store.countWorkflowBytes(transaction, ctx.accountId)
      checkListBytes(action, 'workflows', bytes)
    }
    return updated
  })
}
