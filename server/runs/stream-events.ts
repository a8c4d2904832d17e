import type { Context } from '../context.ts'
import { readEvents, type StoredEvent } from '../engine/reads/events.ts'
import { notFound } from '../errors.ts'
import { isTerminal } from '../engine/run/run.ts'

const pageSize = 500
const finalTypes = new Set(['run.completed', 'run.failed'])

/** Lets a reading wait for those of the account. */
type InTurn = (work: () => Promise<StoredEvent[]>) => Promise<StoredEvent[]>

export interface EventStream {
  /** Of the newest event when the stream began. */
  beganAt: number
  /** An empty list stands for "nothing more now", at first, and for a while. */
  events: AsyncGenerator<StoredEvent[]>
}

/**
 * The events of a run after a sequence number: those stored, then those to come, until the run is
 * terminal or the signal aborts.
 */
export async function streamEvents(
  ctx: Context,
  runId: string,
  afterSequence: number,
  signal: AbortSignal,
  inTurn: InTurn,
): Promise<EventStream> {
  const progress = await ctx.feed.progressOf(ctx.accountId, runId)
  if (progress === undefined) throw notFound(ctx, 'run', runId)
  const events = follow(ctx, runId, afterSequence, signal, inTurn)
  return { beganAt: progress.lastSequence, events }
}

async function* follow(
  ctx: Context,
  runId: string,
  afterSequence: number,
  signal: AbortSignal,
  inTurn: InTurn,
): AsyncGenerator<StoredEvent[]> {
  let sequence = afterSequence
  let isUpToDate = false
  const readPage = () =>
    inTurn(() => readEvents(ctx.reads, ctx.accountId, runId, sequence, pageSize))
  while (!signal.aborted && !ctx.feed.closed) {
    const events = await readPage()
    // The key may have been revoked meanwhile.
    if (signal.aborted) return
    if (events.length > 0) {
      yield events
      const last = events.at(-1) as StoredEvent
      sequence = last.sequence
      if (finalTypes.has(last.type)) return
      continue
    }
    // One that resumes behind the end has nothing to wait for.
    const progress = await ctx.feed.progressOf(ctx.accountId, runId)
    if (progress === undefined || isTerminal(progress.status)) {
      const rest = await readPage()
      if (rest.length > 0 && !signal.aborted) yield rest
      return
    }
    if (!isUpToDate) {
      // Text that comes between the events begins behind those that were stored.
      isUpToDate = true
      yield []
      continue
    }
    const run = { accountId: ctx.accountId, runId }
    await ctx.feed.moved(run, sequence, AbortSignal.any([signal, AbortSignal.timeout(15_000)]))
    yield []
  }
}
