import type { Context } from '../context.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import type { WebhookEndpoint } from './schema.ts'
import { listEndpoints, maxEndpointsPerAccount } from './store.ts'

/** Newest first; all of them where no limit is given. */
export async function listWebhooks(
  ctx: Context,
  page: PageRequest,
): Promise<Page<WebhookEndpoint>> {
  const limit = page.limit ?? maxEndpointsPerAccount
  const rows = await listEndpoints(ctx.reads, ctx.accountId, limit + 1, page.after)
  return toPage(rows, limit, (row) => row.created_at)
}
