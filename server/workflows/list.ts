import type { Context } from '../context.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import type { Workflow } from './schema.ts'
import { listWorkflows as readWorkflows, maxWorkflowsPerAccount } from './store.ts'

/** Most recently updated first; all of them where no limit is given. */
export async function listWorkflows(ctx: Context, page: PageRequest): Promise<Page<Workflow>> {
  const limit = page.limit ?? maxWorkflowsPerAccount
  const rows = await readWorkflows(ctx.reads, ctx.accountId, limit + 1, page.after)
  return toPage(rows, limit, (row) => row.updated_at)
}
