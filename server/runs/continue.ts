import { recordAudit } from '../audit/record.ts'
import { refuseSpent } from '../budgets/reserve.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { cannot, notFound } from '../errors.ts'
import { siblingId } from '../ids.ts'
import { firstEvent } from '../engine/journal/begin.ts'
import { insertContinuation, type Continuation } from '../engine/journal/continue.ts'
import { readInputIds, shareFiles } from '../engine/journal/files.ts'
import { lockRun } from '../engine/journal/respond.ts'
import { tagsToStore } from '../engine/journal/search-terms.ts'
import * as store from '../engine/reads/runs.ts'
import type { Run } from '../engine/wire/run.ts'
import type { Workflow } from '../workflows/schema.ts'
import { lockWorkflow } from '../workflows/workflows.ts'
import { checkRunQuota } from './trigger.ts'

/** What the new run copies from the original, and what differs. */
export interface Plan extends Partial<Pick<Continuation, 'input' | 'data' | 'given' | 'fork'>> {
  /** How many steps are copied. */
  steps: number
  tags?: Record<string, string> | undefined
  /** Fields of its audit entry. */
  audit: object
}

/**
 * Creates a run that continues after the first steps of another: a retry or a fork. `makePlan` is
 * called while the original and its workflow are locked.
 */
export async function continueRun(
  ctx: Context,
  original: store.StoredRun,
  newRunId: string,
  makePlan: (transaction: Transaction, workflow: Workflow) => Promise<Plan>,
): Promise<Run> {
  const { accountId } = ctx
  const { id: originalId, workflow_id: workflowId } = original
  const run = await ctx.database.transaction().execute(async (transaction) => {
    const workflow = await lockWorkflow(transaction, accountId, workflowId, 'for key share')
    if (workflow === undefined) {
      throw cannot(ctx, 'workflow_deleted', 'its workflow was deleted')
    }
    if (workflow.status === 'paused') {
      throw cannot(ctx, 'workflow_paused', 'the workflow is paused')
    }
    // Retention may have deleted the run and its steps since they were read; now it cannot.
    const locked = await lockRun(transaction, { accountId, runId: originalId })
    if (locked === undefined) throw notFound(ctx, 'run', originalId)
    await checkFilesOf(ctx, transaction, originalId)
    const {
      steps,
      tags,
      audit,
      input = original.input,
      ...plan
    } = await makePlan(transaction, workflow)
    if (ctx.account.hasQuota) await checkRunQuota(ctx, transaction)
    if (ctx.account.hasBudgets) {
      await refuseSpent({ ...ctx, database: transaction }, workflowId, tags ?? original.tags)
    }
    const stepIds = Array.from({ length: steps }, (_, position) =>
      siblingId('step', newRunId, String(position)),
    )
    await insertContinuation(transaction, {
      id: newRunId,
      accountId,
      workflowId,
      input,
      tags: tagsToStore(tags ?? original.tags),
      triggeredBy: ctx.actor,
      onBehalfOf: ctx.onBehalfOf,
      originalId,
      stepIds,
      ...plan,
    })
    const { onBehalfOf } = ctx
    const people = onBehalfOf && { on_behalf_of: onBehalfOf }
    const after = { ...audit, workflow_id: workflowId, ...people }
    await recordAudit(transaction, ctx, { objectId: newRunId, after })
    return store.findRun(transaction, accountId, newRunId)
  })
  ctx.queue.wake()
  ctx.acknowledged.add({ accountId, runId: newRunId }, [firstEvent({ id: newRunId })])
  if (run === undefined) throw notFound(ctx, 'run', newRunId)
  return run
}

/** The original's input files must still exist. They are locked until the transaction ends. */
async function checkFilesOf(ctx: Context, transaction: Transaction, runId: string): Promise<void> {
  const ids = await readInputIds(transaction, { accountId: ctx.accountId, runId })
  if (ids.length === 0) return
  const found = await shareFiles(transaction, ctx.accountId, ids)
  const gone = ids.find((id) => !found.has(id))
  if (gone !== undefined) {
    throw cannot(ctx, 'file_deleted', `${gone}, which the run was given, is deleted`)
  }
}
