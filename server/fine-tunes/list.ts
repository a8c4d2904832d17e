import type { Context } from '../context.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import { refreshJobs } from './refresh.ts'
import type { FineTune } from './schema.ts'
import { listJobs } from './store.ts'
import { toFineTune } from './to-wire.ts'

const defaultLimit = 100

/** Newest first, the 100 most recent where no limit is given, as their providers tell them now. */
export async function listFineTunes(ctx: Context, page: PageRequest): Promise<Page<FineTune>> {
  const limit = page.limit ?? defaultLimit
  const rows = await listJobs(ctx.reads, ctx.accountId, limit + 1, page.after)
  const { items, next } = toPage(rows, limit, (row) => row.created_at)
  return { items: (await refreshJobs(ctx, items)).map(toFineTune), next }
}
