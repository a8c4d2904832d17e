import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { isAtRest } from '../engine/state/run.ts'
import { findHeld } from './held.ts'
import type { RunWithSteps } from './schema.ts'
import { findRunWithSteps } from './store.ts'

/** A run with its steps, as it is now. */
export async function retrieveRun(ctx: Context, id: string): Promise<RunWithSteps> {
  const run = await findRunWithSteps(ctx.reads, ctx.accountId, id)
  if (run === undefined) throw notFound({ action: 'retrieve run' }, 'run', id)
  return { ...run, held: await findHeld(ctx, run) }
}

/** How long a request may be held until its run rests. */
export interface Hold {
  seconds: number
  /** Aborts when there is nobody to answer any more; its reason says why. */
  signal: AbortSignal
}

/** The text of a run, and what it says of it that waits. */
export interface WaitedRun extends Pick<RunWithSteps, 'id'> {
  pending: { id: string } | null
  text: readonly Buffer[]
}

/**
 * Answers for those who wait for a run. A run may have megabytes and be waited for by many: while
 * they wait they hold nothing of it, and those that end together share one reading and one text.
 */
export class WaitedRuns {
  readonly #answers = new Map<string, Promise<WaitedRun>>()

  /** The run as soon as it rests, or as it is after this many seconds. */
  async answer(
    ctx: Context,
    id: string,
    hold: Hold,
    make: () => Promise<WaitedRun>,
  ): Promise<WaitedRun> {
    const seen = await waitUntilRest(ctx, id, hold)
    // An answer that is being made may be shared by all who know of nothing newer.
    const name = `${ctx.accountId} ${id} ${seen}`
    return this.#answers.getOrInsertComputed(name, () =>
      make().finally(() => this.#answers.delete(name)),
    )
  }
}

/** Returns the number of the run's newest event that was seen. */
async function waitUntilRest(ctx: Context, id: string, hold: Hold): Promise<number> {
  const signal = AbortSignal.any([hold.signal, AbortSignal.timeout(hold.seconds * 1000)])
  for (;;) {
    const progress = await ctx.watcher.progressOf(ctx.accountId, id)
    hold.signal.throwIfAborted()
    if (progress === undefined) throw notFound(ctx, 'run', id)
    const { status, lastSequence } = progress
    if (isAtRest(status) || signal.aborted || ctx.watcher.closed) return lastSequence
    await ctx.watcher.moved({ accountId: ctx.accountId, runId: id }, lastSequence, signal)
  }
}
