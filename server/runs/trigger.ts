import { toAuditRow } from '../accounts/record-audit.ts'
import type { Context, Services } from '../context.ts'
import { Batcher } from '../db/batcher.ts'
import { DomainError, notFound } from '../errors.ts'
import {
  insertRuns,
  type Insertion,
  type NewRun,
  type TriggeredRun,
} from '../engine/state/new-run-store.ts'
import { usageRow } from '../engine/state/usage-columns.ts'
import { noUsage } from '../models/contract.ts'
import { runNotFound } from './retrieve.ts'
import { toActor } from './rows.ts'
import type { CreateRun, Run } from './schema.ts'
import { tagsToStore } from './tags.ts'
import { findRun } from './store.ts'

/** Triggers that arrive together share one statement: run, event and job of each. */
export type Triggers = Batcher<TriggeredRun, Insertion>

export function createTriggers({
  database,
  queue,
}: Pick<Services, 'database' | 'queue'>): Triggers {
  return new Batcher(async (requests) => {
    const results = await insertRuns(database, requests)
    queue.wake()
    return results
  })
}

export async function triggerRun(
  ctx: Context,
  workflowId: string,
  id: string,
  { input, tags }: CreateRun,
): Promise<Run> {
  const run = {
    id,
    accountId: ctx.accountId,
    workflowId,
    input,
    tags: tagsToStore(tags),
    triggeredBy: ctx.actor,
  }
  const change = { objectId: id, after: { workflow_id: workflowId } }
  const audit = toAuditRow(ctx.accountId, ctx.audit, change)
  const result = await ctx.triggers.add({ ...run, audit })
  if (result.kind === 'created') return queuedRun(run, result.createdAt)
  // What a crashed request made counts, whatever became of the workflow since.
  const existing = await findRun(ctx.database, ctx.accountId, run.id)
  if (existing !== undefined) return existing
  switch (result.kind) {
    case 'existed':
      throw runNotFound('trigger run', run.id)
    case 'no-workflow':
      throw notFound(ctx, 'workflow', workflowId)
    case 'paused':
      throw new DomainError('workflow_paused', 'Cannot trigger run: the workflow is paused')
  }
}

function queuedRun(
  { id, workflowId, input, tags = {}, triggeredBy }: NewRun,
  createdAt: Date,
): Run {
  return {
    id,
    workflow_id: workflowId,
    status: 'queued',
    input,
    output: null,
    error: null,
    error_code: null,
    total_steps: 0,
    ...usageRow(noUsage),
    retry_of: null,
    triggered_by: toActor(triggeredBy.id, triggeredBy.name),
    tags,
    warnings: [],
    pending: null,
    created_at: createdAt,
    started_at: null,
    finished_at: null,
  }
}
