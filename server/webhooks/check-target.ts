import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { retrieveWorkflow } from '../workflows/retrieve.ts'

/** Refuses a URL that may not be called, and a workflow that is not the account's. */
export async function checkTarget(
  ctx: Context,
  action: string,
  target: { url?: string; workflow_id?: string | null },
): Promise<void> {
  if (target.url !== undefined) {
    const refusal = await ctx.outbound.check(target.url)
    if (refusal !== undefined) {
      throw new DomainError('invalid_url', `Cannot ${action}: url ${refusal}`, { param: 'url' })
    }
  }
  if (target.workflow_id == null) return
  const workflowId = target.workflow_id
  await retrieveWorkflow(ctx, workflowId).catch((error: unknown) => {
    if (!(error instanceof DomainError) || error.code !== 'not_found') throw error
    throw new DomainError(
      'unknown_workflow',
      `Cannot ${action}: workflow_id is ${workflowId}, not a workflow of this account`,
      { param: 'workflow_id' },
    )
  })
}
