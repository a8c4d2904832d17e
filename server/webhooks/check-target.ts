import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { checkWorkflow } from '../workflows/workflows.ts'

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
  if (target.workflow_id != null) await checkWorkflow(ctx, target.workflow_id)
}
