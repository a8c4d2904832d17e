import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { isIdle } from '../engine/run/run.ts'
import { findFailingSince } from './failing-since.ts'
import { findHeld } from './held.ts'
import type { RunWithSteps } from '../engine/wire/run.ts'
import { findRunWithSteps } from '../engine/reads/runs.ts'
import type { FastifyReply } from 'fastify'
import { refTo } from '../wire-types.ts'
import { writeParts } from '../http/traffic/text-parts.ts'
import { Step } from '../engine/wire/step.ts'

/** A run with its steps, as it is now. */
export async function retrieveRun(ctx: Context, id: string): Promise<RunWithSteps> {
  const run = await findRunWithSteps(ctx.reads, ctx.accountId, id)
  if (run === undefined) throw notFound({ action: 'retrieve run' }, 'run', id)
  const [held, failing_since] = await Promise.all([findHeld(ctx, run), findFailingSince(ctx, run)])
  return { ...run, held, failing_since }
}

/** How long a request may be held until its run rests. */
export interface Hold {
  seconds: number
  /** Aborts when the client has left; its reason says why. */
  signal: AbortSignal
}

/**
 * Answers requests that wait for a run, with its text. A run may have megabytes and be waited for by many: waiting
 * requests hold nothing of it, and requests that end together share one reading and one text.
 */
export class WaitedRuns {
  readonly #answers = new Map<string, Promise<readonly Buffer[]>>()

  /** The run as soon as it rests, or as it is after this many seconds. */
  async answer(
    ctx: Context,
    id: string,
    hold: Hold,
    make: () => Promise<readonly Buffer[]>,
  ): Promise<readonly Buffer[]> {
    const seen = await waitUntilIdle(ctx, id, hold)
    // Requests that know of nothing newer may share an answer that is being made.
    const name = `${ctx.accountId} ${id} ${seen}`
    return this.#answers.getOrInsertComputed(name, () =>
      make().finally(() => this.#answers.delete(name)),
    )
  }
}

/** Returns the number of the run's newest event that was seen. */
async function waitUntilIdle(ctx: Context, id: string, hold: Hold): Promise<number> {
  const signal = AbortSignal.any([hold.signal, AbortSignal.timeout(hold.seconds * 1000)])
  for (;;) {
    const progress = await ctx.feed.progressOf(ctx.accountId, id)
    hold.signal.throwIfAborted()
    if (progress === undefined) throw notFound(ctx, 'run', id)
    const { status, lastSequence } = progress
    if (isIdle(status) || signal.aborted || ctx.feed.closed) return lastSequence
    await ctx.feed.moved({ accountId: ctx.accountId, runId: id }, lastSequence, signal)
  }
}

/** The text of `{data: run}`, step by step: each has the outputs of all before it in its input. */
export function writeRun(reply: FastifyReply, run: RunWithSteps): Promise<Buffer[]> {
  return writeParts(texts(reply, run))
}

const step: Record<string, unknown> = { ...refTo(Step) }
/** The steps are the last field. */
const end = ']}}'

function* texts(reply: FastifyReply, run: RunWithSteps): Generator<string> {
  const whole = reply.serialize({ data: { ...run, steps: [] } }) as string
  if (!whole.endsWith(`"steps":[${end}`))
    throw new Error('The steps are not the last field of a run')
  yield whole.slice(0, -end.length)
  for (const [place, one] of run.steps.entries()) {
    yield `${place === 0 ? '' : ','}${reply.serializeInput(one, step)}`
  }
  yield end
}
