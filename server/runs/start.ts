import { backgroundContext } from '../accounts/background-context.ts'
import type { Context, Services } from '../context.ts'
import type { Turn } from '../engine/journal/begin.ts'
import type { Person } from '../engine/run/fields.ts'
import { findRun } from '../engine/reads/runs.ts'
import type { CreateRun, Run } from '../engine/wire/run.ts'
import { DomainError } from '../errors.ts'
import { done, outcomeOf, type Outcome } from '../work/outcome.ts'
import { findProblem } from './check-request.ts'
import { retryRun } from './retry.ts'
import { triggerRun } from './trigger.ts'

/**
 * The one way in which schedules, hooks, mailboxes, batches and bulk operations start runs. It
 * checks what the API checks, writes the audit entry, and says whether the run was started, refused
 * for good, or has to wait (`work/outcome.ts`). The id of the run is reserved by its cause, so a
 * repeat after a crash finds the same run.
 */
export interface Cause {
  accountId: string
  /** The schedule, hook or mailbox, or who created the batch or the bulk operation. */
  by: Person
  /** The people behind it: who created and last changed it, or asked for this run. */
  onBehalfOf: Person[]
  /** Reserved for the run. */
  runId: string
}

export type StartRequest =
  | NewRequest
  /** `otherwise`: started instead if the crew has changed since or the run is gone. */
  | { retryOf: string; otherwise?: NewRequest }

interface NewRequest {
  workflowId: string
  body: CreateRun
  /** The turn of a thread that the run is. */
  turn?: Turn
}

/** Starts a run. Throws only errors that are no outcome. */
export async function startRun(
  services: Services,
  { accountId, by, onBehalfOf, runId }: Cause,
  request: StartRequest,
): Promise<Outcome<Run>> {
  const isRetry = 'retryOf' in request
  try {
    const ctx = await backgroundContext(services, accountId, {
      cause: by,
      onBehalfOf,
      action: isRetry ? 'retry run' : 'trigger run',
      audit: isRetry ? 'run.retried' : 'run.triggered',
      reservedId: runId,
    })
    return done(await startNow(ctx, runId, request))
  } catch (error) {
    const outcome = outcomeOf(error)
    if (outcome === undefined) throw error
    return outcome
  }
}

/** The same for a request of a person, such as "run now" of a schedule. Throws the error that the request gets. */
export async function startNow(ctx: Context, runId: string, request: StartRequest): Promise<Run> {
  if (!('retryOf' in request)) return startNew(ctx, runId, request)
  try {
    return await retryRun(ctx, request.retryOf, runId)
  } catch (error) {
    if (request.otherwise === undefined || !isImpossible(error)) throw error
    return startNew(ctx, runId, request.otherwise)
  }
}

async function startNew(
  ctx: Context,
  runId: string,
  { workflowId, body, turn }: NewRequest,
): Promise<Run> {
  const problem = findProblem(body)
  if (problem === undefined) return triggerRun(ctx, workflowId, runId, body, turn)
  // The run may exist from before a crash, whatever has changed since.
  const made = await findRun(ctx.database, ctx.accountId, runId)
  if (made !== undefined) return made
  const { code, field, why } = problem
  throw new DomainError(code, `${field}: ${why}`, { param: field })
}

/** A run can no longer be retried from its failed step. */
function isImpossible(error: unknown): boolean {
  return error instanceof DomainError && ['crew_changed', 'not_found'].includes(error.code)
}
