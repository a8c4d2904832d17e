import type { Context } from '../context.ts'
import { ProviderError, type JobEvent } from './providers/contract.ts'
import { requireJob } from './retrieve.ts'
import { saveEvents, takePoll, type JobRow } from './store.ts'

/** The provider's log, oldest first; as it was last read while the provider is down. */
export async function listFineTuneEvents(ctx: Context, id: string): Promise<JobEvent[]> {
  const job = await requireJob(ctx, 'list events of fine-tune', id)
  return (await readEvents(ctx, job)) ?? storedEvents(job)
}

async function readEvents(ctx: Context, job: JobRow): Promise<JobEvent[] | undefined> {
  const client = ctx.fineTunes.clientOf(job.provider)
  if (client === undefined || job.provider_job_id === null) return undefined
  if (!(await takePoll(ctx.database, ctx.accountId, job.id, 'events_polled_at'))) return undefined
  try {
    const events = await client.listEvents(job.provider_job_id)
    await saveEvents(ctx.database, ctx.accountId, job.id, events)
    return events
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return undefined
  }
}

function storedEvents(job: JobRow): JobEvent[] {
  const events = job.events as (Omit<JobEvent, 'at'> & { at: string })[]
  return events.map((event) => ({ ...event, at: new Date(event.at) }))
}
