import type { Context } from '../context.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import type { WaitingRun } from './pending-schema.ts'
import * as store from './store.ts'

const defaultLimit = 100

/** Every request of the account that awaits a human, oldest first. */
export async function listPending(ctx: Context, page: PageRequest): Promise<Page<WaitingRun>> {
  const limit = page.limit ?? defaultLimit
  const rows = await store.listWaiting(ctx.reads, ctx.accountId, {
    limit: limit + 1,
    after: page.after,
  })
  const byRun = new Map(rows.map((row) => [row.run_id, row]))
  const keys = rows.map(({ run_id, pending }) => ({ id: run_id, at: pending.created_at }))
  const { items, next } = toPage(keys, limit, ({ at }) => at)
  return { items: items.map(({ id }) => byRun.get(id) as WaitingRun), next }
}
