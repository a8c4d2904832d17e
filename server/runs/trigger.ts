import type { Context, Services } from '../context.ts'
import { Batcher } from '../db/batcher.ts'
import { DomainError } from '../errors.ts'
import { workflowNotFound } from '../workflows/retrieve.ts'
import { runNotFound } from './retrieve.ts'
import type { CreateRun, Run } from './schema.ts'
import { findRun, insertRuns, type TriggerRequest, type TriggerResult } from './store.ts'

/** Triggers that arrive together share one statement: run, event and job of each. */
export type Triggers = Batcher<TriggerRequest, TriggerResult>

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
  { input }: CreateRun,
): Promise<Run> {
  const result = await ctx.triggers.add({ id, accountId: ctx.accountId, workflowId, input })
  if (result.kind === 'created') return result.run
  // What a crashed request made counts, whatever became of the workflow since.
  const existing = await findRun(ctx.database, ctx.accountId, id)
  if (existing !== undefined) return existing
  switch (result.kind) {
    case 'existed':
      throw runNotFound('trigger run', id)
    case 'no-workflow':
      throw workflowNotFound('trigger run', workflowId)
    case 'paused':
      throw new DomainError('workflow_paused', 'Cannot trigger run: the workflow is paused')
  }
}
