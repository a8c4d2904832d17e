import type { Context } from '../context.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import * as store from './audit-store.ts'
import type { AuditEntry } from './schema.ts'

/** Newest first, the 50 most recent where no limit is given. */
export function listAudit(
  ctx: Context,
  { limit = 50, after }: PageRequest,
  query: store.AuditQuery,
): Promise<Page<AuditEntry>> {
  return store.listAudit(ctx.reads, ctx.accountId, { limit, after }, query)
}
