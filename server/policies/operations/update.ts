import { whileLocked } from '../../accounts/lock.ts'
import { recordAudit } from '../../audit/record.ts'
import { checkRules } from '../../connectors/check-rules.ts'
import type { Context } from '../../context.ts'
import { readPolicies } from '../read.ts'
import type { Policies, UpdatePolicies } from '../schema.ts'
import { putPolicies } from '../store.ts'

/** Changes the given policies, for all runs at once, including those that have started. */
export async function updatePolicies(ctx: Context, input: UpdatePolicies): Promise<Policies> {
  const { accountId } = ctx
  await checkRules(ctx, input.rules)
  return whileLocked(ctx, async (transaction) => {
    const before = await readPolicies(transaction, accountId)
    const after = await putPolicies(transaction, accountId, { ...before, ...input })
    await recordAudit(transaction, ctx, { objectId: accountId, before, after })
    return after
  })
}
