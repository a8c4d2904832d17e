import type { Context } from '../context.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import type { WaitingRun } from './pending-schema.ts'
import * as store from '../engine/reads/runs.ts'

const defaultLimit = 100

/** Every request of the account that awaits a human, oldest first. */
export async function listPending(ctx: Context, page: PageRequest): Promise<Page<WaitingRun>> {
  const limit = page.limit ?? defaultLimit
  const rows = await store.listWaiting(ctx.reads, ctx.accountId, {
    limit: limit + 1,
    after: page.after,
  })
  const keyed = rows.map((row) => ({ id: row.run_id, row }))
  const { items, next } = toPage(keyed, limit, ({ row }) => row.pending.created_at)
  return { items: items.map(({ row }) => row), next }
}
