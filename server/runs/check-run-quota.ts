import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { countRun } from '../engine/safety/quotas.ts'
import { cannot } from '../errors.ts'

/** Counts a run that the transaction makes; refuses it where the operator allows no more. */
export async function checkRunQuota(ctx: Context, transaction: Transaction): Promise<void> {
  const quota = await countRun(transaction, ctx.accountId)
  if (quota === 'counted') return
  const until = quota.what === 'runs a day' ? ', more from 00:00 UTC on' : ''
  throw cannot(ctx, 'quota_reached', `the operator allows ${quota.max} ${quota.what}${until}`)
}
