import type { Context } from '../context.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import { retrieveWorkflow } from '../workflows/retrieve.ts'
import type { RunStatus } from '../engine/state/run.ts'
import type { Run } from './schema.ts'
import * as store from './store.ts'

const defaultLimit = 50

/** Newest first; the 50 most recent where no limit is given. */
export async function listRuns(
  ctx: Context,
  workflowId: string,
  filter: PageRequest & { status: RunStatus | undefined },
): Promise<Page<Run>> {
  await retrieveWorkflow(ctx, workflowId, 'list runs')
  const limit = filter.limit ?? defaultLimit
  const rows = await store.listRuns(ctx.reads, ctx.accountId, {
    workflowId,
    status: filter.status,
    limit: limit + 1,
    after: filter.after,
  })
  return toPage(rows, limit, (row) => row.created_at)
}
