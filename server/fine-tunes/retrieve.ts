import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { refreshJob } from './refresh.ts'
import type { FineTune } from './schema.ts'
import { findJob, type JobRow } from './store.ts'
import { toFineTune } from './to-wire.ts'

/** The job as its provider reports it now. */
export async function retrieveFineTune(ctx: Context, id: string): Promise<FineTune> {
  return toFineTune(await refreshJob(ctx, await requireJob(ctx, 'retrieve fine-tune', id)))
}

export async function requireJob(ctx: Context, action: string, id: string): Promise<JobRow> {
  const job = await findJob(ctx.database, ctx.accountId, id)
  if (job === undefined) throw new DomainError('not_found', `Cannot ${action}: no fine-tune ${id}`)
  return job
}
