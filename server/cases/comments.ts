import { recordAudit } from '../audit/record.ts'
import { caseIdOf } from '../engine/run/case.ts'
import type { Context } from '../context.ts'
import { tooMany } from '../errors.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import { findWaiting } from './cases.ts'
import type { Comment, CreateComment } from './schema.ts'
import * as store from './store.ts'

/** Comments on a case. They stay with the run after the case is decided; then none can be added. */
const maxPerCase = 100

export async function addComment(
  ctx: Context,
  givenId: string,
  id: string,
  { text }: CreateComment,
): Promise<Comment> {
  const { run_id: runId, pending } = await findWaiting(ctx, ctx.database, givenId)
  const pendingId = caseIdOf(pending)
  return ctx.database.transaction().execute(async (transaction) => {
    const { count } = await store.countComments(transaction, ctx.accountId, pendingId)
    if (count >= maxPerCase) throw tooMany(ctx, 'too_many_comments', maxPerCase, 'comments there')
    const comment = await store.insertComment(transaction, ctx.accountId, {
      id,
      pending_id: pendingId,
      run_id: runId,
      author_id: ctx.actor.id,
      author_name: ctx.actor.name,
      text,
    })
    const after = { comment_id: id, run_id: runId }
    await recordAudit(transaction, ctx, { objectId: pendingId, after })
    return comment
  })
}

/** Newest first, 50 by default. */
export async function listComments(
  ctx: Context,
  pendingId: string,
  { limit = 50, after }: PageRequest,
): Promise<Page<Comment>> {
  const page = { limit: limit + 1, after }
  let rows = await store.listComments(ctx.reads, ctx.accountId, pendingId, page)
  // A decided case is found by its comments only; a request of a waiting case has the comments of
  // the case.
  if (rows.length === 0) {
    const { pending } = await findWaiting(ctx, ctx.database, pendingId)
    const caseId = caseIdOf(pending)
    if (caseId !== pendingId)
      rows = await store.listComments(ctx.reads, ctx.accountId, caseId, page)
  }
  return toPage(rows, limit, (row) => row.created_at)
}
