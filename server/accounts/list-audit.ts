import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { toDate } from '../wire-types.ts'
import { findMeant } from '../nearest.ts'
import * as store from '../audit/store.ts'
import type { AuditEntry, AuditQuery } from './schema.ts'

/** Newest first, 50 by default. */
export function listAudit(
  ctx: Context,
  { limit = 50, after }: PageRequest,
  query: AuditQuery,
  words: readonly string[],
): Promise<Page<AuditEntry>> {
  const { action } = query
  if (action !== undefined && !words.some((word) => word === action)) {
    const meant = findMeant(action, words)
    const hint = meant === undefined ? `expected ${words.join(', ')}` : `did you mean ${meant}?`
    const why = `action is ${JSON.stringify(action)}, ${hint}`
    throw cannot(ctx, 'invalid_value', why, { param: 'action' })
  }
  const { created_after, created_before, ...filter } = query
  const times = { from: toDate(created_after), to: toDate(created_before) }
  return store.listAudit(ctx.reads, ctx.accountId, { limit, after }, { ...filter, ...times })
}
