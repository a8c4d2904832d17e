import type { Context } from '../context.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import * as store from './audit-store.ts'
import type { AuditEntry } from './schema.ts'

const defaultLimit = 50

/** Newest first, the 50 most recent where no limit is given. */
export async function listAudit(
  ctx: Context,
  { limit = defaultLimit, ...filter }: PageRequest & Omit<store.AuditFilter, keyof PageRequest>,
): Promise<Page<AuditEntry>> {
  const rows = await store.listAudit(ctx.reads, ctx.accountId, { ...filter, limit: limit + 1 })
  return toPage(rows, limit, (row) => row.created_at)
}
