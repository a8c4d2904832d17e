import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { isIdle } from '../engine/run/run.ts'
import type { RunWithSteps, Held } from '../engine/wire/run.ts'
import { findRunWithSteps, type StoredRun } from '../engine/reads/runs.ts'
import type { FastifyReply } from 'fastify'
import { refTo } from '../wire-types.ts'
import { writeParts } from '../http/traffic/text-parts.ts'
import { Step } from '../engine/wire/step.ts'
import { readRegression } from '../engine/reads/forks.ts'
import { readWaitingJob } from '../engine/reads/waiting-job.ts'
import { readOpenRequests } from '../engine/journal/requests/claims.ts'

/** The current state of a run, with its steps. */
export async function retrieveRun(ctx: Context, id: string): Promise<RunWithSteps> {
  const run = await requireRun(ctx, id)
  const [held, failing_since] = await Promise.all([findHeld(ctx, run), findFailingSince(ctx, run)])
  return { ...run, held, failing_since }
}

export async function requireRun(ctx: Context, id: string): Promise<StoredRun> {
  const run = await findRunWithSteps(ctx.reads, ctx.accountId, id)
  if (run === undefined) throw notFound(ctx, 'run', id)
  return run
}

/** How long a request waits for its run to become idle. */
export interface Hold {
  seconds: number
  /** Aborts when the client disconnects; its reason is the error. */
  signal: AbortSignal
  /** Called with the number of the newest event, at first and after each change. */
  moved?: (sequence: number) => Promise<void>
}

/**
 * Answers requests that wait for a run. A run may have megabytes and many waiting requests: these
 * hold none of it in memory, and requests that end together share one read and one response text.
 */
export class WaitedRuns {
  readonly #answers = new Map<string, Promise<readonly Buffer[]>>()

  /** The run as soon as it is idle, or in its current state after this many seconds. */
  async answer(
    ctx: Context,
    id: string,
    hold: Hold,
    make: () => Promise<readonly Buffer[]>,
  ): Promise<readonly Buffer[]> {
    const seen = await waitUntilIdle(ctx, id, hold)
    // Requests that have seen no newer event may share a response that is being made.
    const name = `${ctx.accountId} ${id} ${seen}`
    return this.#answers.getOrInsertComputed(name, () =>
      make().finally(() => this.#answers.delete(name)),
    )
  }
}

/** Waits without a database connection. Returns the number of the run's newest event. */
export async function waitUntilIdle(ctx: Context, id: string, hold: Hold): Promise<number> {
  const signal = AbortSignal.any([hold.signal, AbortSignal.timeout(hold.seconds * 1000)])
  for (;;) {
    const progress = await ctx.feed.progressOf(ctx.accountId, id)
    hold.signal.throwIfAborted()
    if (progress === undefined) throw notFound(ctx, 'run', id)
    const { status, lastSequence } = progress
    await hold.moved?.(lastSequence)
    if (isIdle(status) || signal.aborted || ctx.feed.closed) return lastSequence
    await ctx.feed.moved({ accountId: ctx.accountId, runId: id }, lastSequence, signal)
  }
}

/**
 * The text of `{data: run}`, step by step, because each step's input repeats the outputs of all
 * earlier steps.
 */
export function writeRun(reply: FastifyReply, run: RunWithSteps): Promise<Buffer[]> {
  return writeParts(texts(reply, run))
}

const step: Record<string, unknown> = { ...refTo(Step) }
/** `steps` is the last field. */
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

/** For a failed run: the workflow version that fails since an earlier one worked; else null. */
async function findFailingSince(
  ctx: Context,
  {
    status,
    error_code: code,
    workflow_id: workflowId,
    created_at: createdAt,
  }: Pick<RunWithSteps, 'status' | 'error_code' | 'workflow_id' | 'created_at'>,
): Promise<RunWithSteps['failing_since']> {
  if (status !== 'failed' || code === 'cancelled') return null
  const found = await readRegression(ctx.reads, ctx.accountId, { workflowId, createdAt })
  if (found === undefined) return null
  const { worked, failed } = found
  if (worked.version === null || failed.version === null) return null
  if (worked.version === failed.version) return null
  return {
    version: failed.version,
    last_worked_version: worked.version,
    last_worked_run_id: worked.id,
    diff: `/v1/workflows/${workflowId}/versions/${worked.version}/diff?to=${failed.version}`,
  }
}

/** What a run waits for whose calls are requested of the account's workers. */
async function wordsOfRequests({ database, accountId }: Context, runId: string): Promise<string> {
  const open = await readOpenRequests(database, accountId, runId)
  const named = (isClaimed: boolean): string =>
    [...new Set(open.flatMap((one) => (one.isClaimed === isClaimed ? one.name : [])))].join(', ')
  const parts = [
    ...(named(false) === '' ? [] : [`waits for a worker to take ${named(false)}`]),
    ...(named(true) === '' ? [] : [`waits for a worker's result of ${named(true)}`]),
  ]
  return `The run ${parts.length === 0 ? 'goes on' : parts.join(', and ')}.`
}

/** A free worker takes a run within milliseconds; a shorter wait is not reported. */
const noticeableMs = 2_000

/** Why a queued or running run cannot continue now; null if it can. */
async function findHeld(
  ctx: Context,
  { id, status, steps }: Pick<RunWithSteps, 'id' | 'status' | 'steps'>,
): Promise<Held | null> {
  if (isIdle(status)) return null
  const job = await readWaitingJob(ctx.reads, { accountId: ctx.accountId, runId: id })
  if (job === undefined) return null
  const { readyAt, isPutOff, waitedMs, restedAt, accountActive, heldUntil } = job
  if (heldUntil !== null) {
    const message =
      "The account has used up its operator's quota for model calls; the run continues at " +
      `${heldUntil.toISOString()}.`
    const since = isPutOff ? restedAt : readyAt
    return { reason: 'budget', since, next_try_at: heldUntil, message }
  }
  if (isPutOff) {
    if (job.held !== null) {
      const { reason, message } = job.held
      if (reason === 'caller_tool') {
        const since = job.heldSince ?? restedAt
        return { reason, since, next_try_at: null, message: await wordsOfRequests(ctx, id) }
      }
      const words = `${message}. The next try is at ${readyAt.toISOString()}.`
      return { reason, since: job.heldSince ?? restedAt, next_try_at: readyAt, message: words }
    }
    if (job.crashCount > 0) {
      const message =
        `Its worker process stopped ${job.crashCount} times while the run was in progress. It is retried, apart ` +
        `from other runs, at ${readyAt.toISOString()}.`
      return { reason: 'no_worker', since: restedAt, next_try_at: readyAt, message }
    }
    // The run was released by the previous version of Muster, which stored no message about the
    // failed model call.
    const step = steps.find(({ finished_at: at }) => at === null)
    return {
      reason: 'provider_unavailable',
      since: restedAt,
      next_try_at: readyAt,
      message:
        `The provider of ${step?.model ?? 'the model'} failed the last call; it is retried at ` +
        `${readyAt.toISOString()}.`,
    }
  }
  if (waitedMs < noticeableMs) return null
  const waiting = { since: readyAt, next_try_at: null }
  if (accountActive >= ctx.accountConcurrency) {
    const message = `The account has reached its limit of concurrent runs (${ctx.accountConcurrency}); this one continues when another ends or waits.`
    return { reason: 'account_at_limit', ...waiting, message }
  }
  const { alive } = await ctx.queue.presence.workers()
  const message =
    alive === 0
      ? 'No worker is online; the run continues as soon as one starts.'
      : `All workers (${alive}) are busy with other runs; the run continues as soon as one is free.`
  return { reason: 'no_worker', ...waiting, message }
}
