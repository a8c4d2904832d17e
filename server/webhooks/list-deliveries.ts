import type { Context } from '../context.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import { retrieveWebhook } from './retrieve.ts'
import type { WebhookDelivery } from './schema.ts'
import * as store from './store.ts'

const defaultLimit = 50

/** Newest first; the 50 most recent where no limit is given. */
export async function listDeliveries(
  ctx: Context,
  endpointId: string,
  filter: PageRequest & { status: WebhookDelivery['status'] | undefined },
): Promise<Page<WebhookDelivery>> {
  await retrieveWebhook(ctx, endpointId, 'list deliveries')
  const limit = filter.limit ?? defaultLimit
  const rows = await store.listDeliveries(ctx.reads, ctx.accountId, endpointId, {
    limit: limit + 1,
    after: filter.after,
    status: filter.status,
  })
  return toPage(rows, limit, (row) => row.created_at)
}
