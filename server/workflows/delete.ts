import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { hasOpenRuns } from '../runs/has-open-runs.ts'
import { workflowNotFound } from './retrieve.ts'
import * as store from './store.ts'

/** Deletes a workflow whose runs have all ended; those stay readable by id. */
export async function deleteWorkflow(ctx: Context, id: string): Promise<void> {
  await ctx.database.transaction().execute(async (transaction) => {
    // The lock keeps new runs out until the transaction ends.
    const workflow = await store.lockWorkflow(transaction, ctx.accountId, id, 'forUpdate')
    if (workflow === undefined) throw workflowNotFound('delete workflow', id)
    if (await hasOpenRuns(transaction, ctx.accountId, id)) {
      throw new DomainError(
        'workflow_in_use',
        'Cannot delete workflow: it has runs that are not finished, cancel them first',
      )
    }
    await store.deleteWorkflow(transaction, ctx.accountId, id)
    await recordAudit(transaction, ctx, { objectId: id, before: workflow })
  })
}
