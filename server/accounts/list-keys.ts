import type { Context } from '../context.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import type { ApiKey } from './schema.ts'
import * as store from './store.ts'

const defaultLimit = 100

export async function listKeys(ctx: Context, page: PageRequest): Promise<Page<ApiKey>> {
  const limit = page.limit ?? defaultLimit
  const rows = await store.listKeys(ctx.reads, ctx.accountId, limit + 1, page.after)
  return toPage(rows, limit, (row) => row.created_at)
}
