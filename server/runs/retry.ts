import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { cannot, notFound } from '../errors.ts'
import { siblingId } from '../ids.ts'
import { lockWorkflow } from '../workflows/workflows.ts'
import type { CrewEntry } from '../workflows/schema.ts'
import { firstEvent, insertRetry } from '../engine/journal/begin.ts'
import { readInputIds, shareFiles } from '../engine/journal/files.ts'
import { tagsToStore } from '../engine/journal/search-terms.ts'
import { retrieveRun } from './retrieve.ts'
import type { Run, RunWithSteps } from '../engine/wire/run.ts'
import type { Step } from '../engine/wire/step.ts'
import * as store from '../engine/reads/runs.ts'
import { lockRun } from '../engine/journal/respond.ts'
import { checkRunQuota } from './trigger.ts'

/**
 * A new run that takes over the finished steps of a failed one and goes on at the step that failed,
 * with the workflow as it is now. Refused where the crew before that step has changed: the old outputs
 * would then be another crew's.
 */
export async function retryRun(ctx: Context, id: string, newRunId: string): Promise<Run> {
  // What a crashed request made counts, whatever became of the workflow since.
  const existing = await store.findRun(ctx.database, ctx.accountId, newRunId)
  if (existing !== undefined) return existing
  const original = await retrieveRun(ctx, id)
  if (original.status !== 'failed') {
    throw cannot(ctx, 'run_not_failed', `it is ${original.status}, not failed`)
  }
  const run = await ctx.database.transaction().execute(async (transaction) => {
    const workflow = await lockWorkflow(
      transaction,
      ctx.accountId,
      original.workflow_id,
      'for key share',
    )
    if (workflow === undefined) {
      throw cannot(ctx, 'workflow_deleted', 'its workflow was deleted')
    }
    if (workflow.status === 'paused') {
      throw cannot(ctx, 'workflow_paused', 'the workflow is paused')
    }
    // Retention may have taken it, with its steps, since they were read; from here on it cannot.
    const locked = await lockRun(transaction, { accountId: ctx.accountId, runId: id })
    if (locked === undefined) throw notFound(ctx, 'run', id)
    await checkFilesOf(ctx, transaction, id)
    const stepIds = stepsToReuse(ctx, original, workflow.crew).map((_, position) =>
      siblingId('step', newRunId, String(position)),
    )
    const { workflow_id: workflowId, input } = original
    const tags = tagsToStore(original.tags)
    const triggeredBy = ctx.actor
    const retry = { id: newRunId, accountId: ctx.accountId, workflowId, input, tags, triggeredBy }
    if (ctx.account.hasQuota) await checkRunQuota(ctx, transaction)
    await insertRetry(transaction, retry, id, stepIds)
    const after = { retry_of: id, workflow_id: workflowId }
    await recordAudit(transaction, ctx, { objectId: newRunId, after })
    return store.findRun(transaction, ctx.accountId, newRunId)
  })
  ctx.queue.wake()
  ctx.acknowledged.add({ accountId: ctx.accountId, runId: newRunId }, [
    firstEvent({ id: newRunId }),
  ])
  if (run === undefined) throw notFound(ctx, 'run', newRunId)
  return run
}

/** What it was given must be there still, and stays until the transaction ends. */
async function checkFilesOf(ctx: Context, transaction: Transaction, runId: string): Promise<void> {
  const ids = await readInputIds(transaction, { accountId: ctx.accountId, runId })
  if (ids.length === 0) return
  const found = await shareFiles(transaction, ctx.accountId, ids)
  const gone = ids.find((id) => !found.has(id))
  if (gone !== undefined) {
    throw cannot(ctx, 'file_deleted', `${gone}, which the run was given, is deleted`)
  }
}

/** The finished steps. A last one whose only fault is what it cost is not among them: it runs again. */
function stepsToReuse(
  ctx: Context,
  { steps, error_code }: RunWithSteps,
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
 * Whether a step was done by this place of the crew. A standing agent is known by its id, because its
 * role may differ from the entry's; a plain step, also one that a deleted agent left to its entry, by
 * its role.
 */
function isOf(step: Step, entry: CrewEntry | undefined): boolean {
  if (entry === undefined) return false
  return entry.agentId !== undefined && step.agent_id !== null
    ? step.agent_id === entry.agentId
    : step.role === entry.role
}
