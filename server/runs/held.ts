import type { Context } from '../context.ts'
import { readWaitingJob } from '../engine/reads/waiting-job.ts'
import { isIdle } from '../engine/run/run.ts'
import type { Held, RunWithSteps } from '../engine/wire/run.ts'

/** A free worker takes a run within milliseconds; a shorter wait is not reported. */
const noticeableMs = 2_000

/** Why a queued or running run cannot continue now; null if it can. */
export async function findHeld(
  ctx: Context,
  { id, status, steps }: Pick<RunWithSteps, 'id' | 'status' | 'steps'>,
): Promise<Held | null> {
  if (isIdle(status)) return null
  const job = await readWaitingJob(ctx.reads, { accountId: ctx.accountId, runId: id })
  if (job === undefined) return null
  const { readyAt, isPutOff, waitedMs, restedAt, accountActive, heldUntil } = job
  if (heldUntil !== null) {
    const message = `The account has used what its operator allows for model calls; it goes on at ${heldUntil.toISOString()}.`
    const since = isPutOff ? restedAt : readyAt
    return { reason: 'budget', since, next_try_at: heldUntil, message }
  }
  if (isPutOff) {
    if (job.held !== null) {
      const { reason, message } = job.held
      const words = `${message}. The next try is at ${readyAt.toISOString()}.`
      return { reason, since: job.heldSince ?? restedAt, next_try_at: readyAt, message: words }
    }
    if (job.crashCount > 0) {
      const message = `Its worker process stopped ${job.crashCount} times while the run was in progress. It is tried again, apart from other runs, at ${readyAt.toISOString()}.`
      return { reason: 'no_worker', since: restedAt, next_try_at: readyAt, message }
    }
    // The run was released by the previous version of Muster, which stored no message about the
    // failed model call.
    const step = steps.find(({ finished_at: at }) => at === null)
    return {
      reason: 'provider_unavailable',
      since: restedAt,
      next_try_at: readyAt,
      message: `The provider of ${step?.model ?? 'the model'} failed the last call; it is made again at ${readyAt.toISOString()}.`,
    }
  }
  if (waitedMs < noticeableMs) return null
  const waiting = { since: readyAt, next_try_at: null }
  if (accountActive >= ctx.accountConcurrency) {
    const message = `The account has as many runs in progress as it may have at once (${ctx.accountConcurrency}); this one goes on when one of them rests.`
    return { reason: 'account_at_limit', ...waiting, message }
  }
  const { alive } = await ctx.queue.workers()
  const message =
    alive === 0
      ? 'No worker is running; the run goes on as soon as one starts.'
      : `Every worker (${alive}) is busy with other runs; the run goes on as soon as one has room.`
  return { reason: 'no_worker', ...waiting, message }
}
