import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { isActive } from './job.ts'
import { ProviderError } from './providers/contract.ts'
import { requireJob } from './retrieve.ts'
import { cancelJob, markDeleted } from './store.ts'
import { toFineTune } from './to-wire.ts'

/**
 * Removes a job, stopped first where it is active; its model can no longer be used. Where the
 * provider cannot be reached, the background goes on trying to stop it for a day.
 */
export async function deleteFineTune(ctx: Context, id: string): Promise<void> {
  const job = await requireJob(ctx, 'delete fine-tune', id)
  await ctx.database.transaction().execute(async (transaction) => {
    if (!(await markDeleted(transaction, ctx.accountId, id))) return
    await recordAudit(transaction, ctx, { objectId: id, before: toFineTune(job) })
  })
  const client = ctx.fineTunes.clientOf(job.provider)
  if (!isActive(job.status) || job.provider_job_id === null) return
  try {
    const told = await client?.cancelJob(job.provider_job_id)
    // From here on it does not count as one that has not ended.
    if (told !== undefined) await cancelJob(ctx.database, job, told.providerStatus)
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    ctx.log.warn({ fineTuneId: id, why: error.message }, 'stopping a deleted fine-tune failed')
  }
}
