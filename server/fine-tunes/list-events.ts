import type { Context } from '../context.ts'
import type { Cursor } from '../db/keyset.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import { maxEvents, ProviderError, type JobEvent } from './providers/contract.ts'
import { requireJob } from './jobs.ts'
import { saveEvents, takePoll, type JobRow } from './store.ts'

/**
 * The provider's log, oldest first, up to the newest 1,000; from the last read while the provider
 * is down.
 */
export async function listFineTuneEvents(
  ctx: Context,
  id: string,
  { limit = maxEvents, after }: PageRequest,
): Promise<Page<JobEvent>> {
  const job = await requireJob(ctx, id)
  const events = withIds((await readEvents(ctx, job)) ?? storedEvents(job))
  const rest = after === undefined ? events : events.filter((event) => isBehind(event, after))
  const { items, next } = toPage(rest, limit, ({ at }) => at)
  return { items: items.map(({ at, level, message }) => ({ at, level, message })), next }
}

/**
 * Oldest first. Providers have no common ids, so an event's id is its index among events of the
 * same time.
 */
function withIds(events: JobEvent[]): (JobEvent & { id: string })[] {
  const sorted = events.toSorted((a, b) => a.at.getTime() - b.at.getTime())
  let place = 0
  return sorted.map((event, index) => {
    place = event.at.getTime() === sorted[index - 1]?.at.getTime() ? place + 1 : 0
    return { ...event, id: `event_${String(place).padStart(26, '0')}` }
  })
}

function isBehind({ at, id }: { at: Date; id: string }, after: Cursor): boolean {
  const ms = at.getTime() - after.at.getTime()
  return ms > 0 || (ms === 0 && id > after.id)
}

async function readEvents(ctx: Context, job: JobRow): Promise<JobEvent[] | undefined> {
  const client = ctx.fineTunes.clientOf(job.provider)
  if (client === undefined || job.provider_job_id === null) return undefined
  if (!(await takePoll(ctx.database, job, 'events_polled_at'))) return undefined
  try {
    const events = inOrderOf(storedEvents(job), await client.listEvents(job.provider_job_id))
    await saveEvents(ctx.database, job, events)
    return events
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return undefined
  }
}

/**
 * Keeps the first known order, because providers may sort events of the same second differently
 * each time.
 */
function inOrderOf(known: JobEvent[], events: JobEvent[]): JobEvent[] {
  const keyOf = ({ at, message }: JobEvent) => `${at.getTime()} ${message}`
  const places = new Map(known.map((event, place) => [keyOf(event), place]))
  const indexFor = (event: JobEvent) => places.get(keyOf(event)) ?? known.length
  return events.toSorted((a, b) => indexFor(a) - indexFor(b))
}

function storedEvents(job: JobRow): JobEvent[] {
  const events = job.events as (Omit<JobEvent, 'at'> & { at: string })[]
  return events.map((event) => ({ ...event, at: new Date(event.at) }))
}
