import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { isAtRest } from './run.ts'
import type { RunWithSteps } from './schema.ts'
import { findRunWithSteps } from './store.ts'

/** How long a request may be held until its run rests. */
export interface Hold {
  seconds: number
  /** Aborts when the caller is gone. */
  signal: AbortSignal
}

/** A run with its steps; with `hold` as soon as it rests, or after so many seconds as it is then. */
export async function retrieveRun(ctx: Context, id: string, hold?: Hold): Promise<RunWithSteps> {
  let found = await findRunWithSteps(ctx.database, ctx.accountId, id)
  if (hold !== undefined && hold.seconds > 0) {
    const signal = AbortSignal.any([hold.signal, AbortSignal.timeout(hold.seconds * 1000)])
    while (found !== undefined && !isAtRest(found.run.status) && !signal.aborted) {
      await ctx.watcher.moved(id, found.lastSequence, signal)
      found = await findRunWithSteps(ctx.database, ctx.accountId, id)
      if (ctx.watcher.closed) break
    }
  }
  if (found === undefined) throw runNotFound('retrieve run', id)
  return found.run
}

export function runNotFound(action: string, id: string): DomainError {
  return new DomainError('not_found', `Cannot ${action}: no run ${id}`)
}
