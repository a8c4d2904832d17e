import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { findSpent } from './reserve-store.ts'
import { reachedWords } from './reserve.ts'

/**
 * Refuses a run that a spent budget would fail at its first call: one of the account, the workflow or a tag with
 * `on_cap` `refuse`. A budget of an agent fails the step of that agent, since the steps before it have room.
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
