import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { isAtRest } from './run.ts'
import type { RunWithSteps } from './schema.ts'
import { findRunWithSteps } from './store.ts'

export interface Wait {
  seconds: number
  /** Aborts when the caller is gone. */
  signal: AbortSignal
}

/** A run with its steps; with `wait` as soon as it rests, or after so many seconds as it is then. */
export async function retrieveRun(ctx: Context, id: string, wait?: Wait): Promise<RunWithSteps> {
  let found = await findRunWithSteps(ctx.database, ctx.accountId, id)
  if (wait !== undefined && wait.seconds > 0) {
    const signal = AbortSignal.any([wait.signal, AbortSignal.timeout(wait.seconds * 1000)])
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
