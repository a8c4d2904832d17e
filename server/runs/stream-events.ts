import type { Context } from '../context.ts'
import { readEvents, type StoredEvent } from '../engine/reads/events.ts'
import { notFound } from '../errors.ts'
import { isTerminal } from '../engine/run/run.ts'

const pageSize = 500
const finalTypes = new Set(['run.completed', 'run.failed'])

/** Limits concurrent reads of an account. */
type InTurn = (work: () => Promise<StoredEvent[]>) => Promise<StoredEvent[]>

export interface EventStream {
  /** Number of the newest event when the stream started. */
  beganAt: number
  /**
   * An empty list means that there are no more events for now; sent once the stored ones are read,
   * and as a keepalive.
   */
  events: AsyncGenerator<StoredEvent[]>
}

/**
 * The events of a run after a sequence number, stored ones first, then new ones, until the run ends
 * or the signal aborts.
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
  while (!signal.aborted) {
    const events = await readPage()
    // The key may have been revoked in the meantime.
    if (signal.aborted) return
    if (events.length > 0) {
      yield events
      const last = events.at(-1) as StoredEvent
      sequence = last.sequence
      if (finalTypes.has(last.type) || ctx.feed.closed) return
      continue
    }
    // A stream that resumes after the last event of a finished run ends at once.
    const progress = await ctx.feed.progressOf(ctx.accountId, runId)
    if (progress === undefined || isTerminal(progress.status)) {
      const rest = await readPage()
      if (rest.length > 0 && !signal.aborted) yield rest
      return
    }
    // The process stops. Not before a page was read: clients take a stream without new events for
    // the end of a finished run.
    if (ctx.feed.closed) return
    if (!isUpToDate) {
      // Streamed text is sent only after the stored events.
      isUpToDate = true
      yield []
      continue
    }
    const run = { accountId: ctx.accountId, runId }
    await ctx.feed.moved(run, sequence, AbortSignal.any([signal, AbortSignal.timeout(15_000)]))
    yield []
  }
}
