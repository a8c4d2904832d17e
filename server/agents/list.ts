import type { Context } from '../context.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import type { Agent } from './schema.ts'
import { listAgents as readAgents, maxAgentsPerAccount } from './store.ts'

/** Newest first; all of them where no limit is given. */
export async function listAgents(
  ctx: Context,
  { category, ...page }: PageRequest & { category: string | undefined },
): Promise<Page<Agent>> {
  const limit = page.limit ?? maxAgentsPerAccount
  const filter = { category, limit: limit + 1, after: page.after }
  const rows = await readAgents(ctx.reads, ctx.accountId, filter)
  return toPage(rows, limit, (row) => row.created_at)
}
