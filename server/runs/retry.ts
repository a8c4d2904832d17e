import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import type { CrewEntry } from '../workflows/schema.ts'
import { continueRun } from './continue.ts'
import { requireRun } from './retrieve.ts'
import type { Run } from '../engine/wire/run.ts'
import type { Step } from '../engine/wire/step.ts'
import * as store from '../engine/reads/runs.ts'

/**
 * Creates a run that copies the finished steps of a failed run and continues at the failed step,
 * with the current workflow. Rejected if the crew before that step has changed, because the outputs
 * would then come from another crew.
 */
export async function retryRun(ctx: Context, id: string, newRunId: string): Promise<Run> {
  // The run may exist from a crashed request, whatever happened to the workflow since.
  const existing = await store.findRun(ctx.database, ctx.accountId, newRunId)
  if (existing !== undefined) return existing
  const original = await requireRun(ctx, id)
  if (original.status !== 'failed') {
    throw cannot(ctx, 'run_not_failed', `it is ${original.status}, not failed`)
  }
  return continueRun(ctx, original, newRunId, async (_, workflow) => {
    const reused = stepsToReuse(ctx, original, workflow.crew)
    return { steps: reused.length, audit: { retry_of: id } }
  })
}

/** The finished steps, except a last one that only failed because of its cost: it runs again. */
export function stepsToReuse(
  ctx: Pick<Context, 'action'>,
  { steps, error_code }: Pick<store.StoredRun, 'steps' | 'error_code'>,
  crew: CrewEntry[],
): Step[] {
  const finished = steps.filter((step) => step.output !== null)
  const isTooDear = error_code === 'budget_exceeded' && finished.length === steps.length
  const reused = isTooDear && finished.length === crew.length ? finished.slice(0, -1) : finished
  if (reused.some((step) => !isOf(step, crew[step.order]))) {
    const why = 'the crew before the failed step has changed, trigger a new run'
    throw cannot(ctx, 'crew_changed', why)
  }
  if (reused.length === crew.length) {
    const why = `step ${reused.length + 1}, which failed, is no longer in the crew, trigger a new run`
    throw cannot(ctx, 'crew_changed', why)
  }
  return reused
}

/**
 * Whether a crew entry executed a step. A standing agent is matched by id, because its role may
 * differ from the entry's; other steps, including those of deleted agents, are matched by role.
 */
export function isOf(step: Step, entry: CrewEntry | undefined): boolean {
  if (entry === undefined) return false
  return entry.agentId !== undefined && step.agent_id !== null
    ? step.agent_id === entry.agentId
    : step.role === entry.role
}
