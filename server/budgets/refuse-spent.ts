import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { findSpent } from './reserve-store.ts'
import { reachedWords } from './reserve.ts'

/**
 * Throws for a run that an exhausted budget would fail at its first call: a budget of the account,
 * the workflow or a tag with `on_cap` `refuse`. A budget of an agent only fails that agent's step,
 * because earlier steps may still run.
 */
export async function refuseSpent(
  ctx: Context,
  workflowId: string,
  tags: Record<string, string> = {},
): Promise<void> {
  const subject = { accountId: ctx.accountId, workflowId, agentId: null, tags }
  const budget = await findSpent(ctx.database, subject)
  if (budget !== undefined) throw cannot(ctx, 'budget_reached', reachedWords(budget, 'is spent'))
}
