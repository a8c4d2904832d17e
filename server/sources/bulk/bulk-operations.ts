import { whileLocked } from '../../accounts/bounds.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { cannot, notFound, tooMany } from '../../errors.ts'
import { readRunStates } from '../../engine/reads/run-figures.ts'
import { listRunKeys } from '../../runs/list.ts'
import { maxRuns, type BulkFilter, type BulkOperation, type CreateBulkOperation } from './schema.ts'
import * as store from './store.ts'

/**
 * Bulk operations cancel or retry many runs of an account. The matching runs are stored when the
 * operation is created; it is running until the action was executed on each (`definition.ts`, in the
 * background), then completed. A dry run only counts the runs. Runs that do not allow the action
 * are skipped.
 */

/** Limit of unfinished operations for an account. */
const maxOpen = 20

/** Stores which runs match now; the action is executed in the background (`definition.ts`). */
export async function createBulkOperation(
  ctx: Context,
  id: string,
  { action, filter, dry_run: isDry = false }: CreateBulkOperation,
): Promise<BulkOperation> {
  const existing = await store.findOperation(ctx.database, ctx.accountId, id)
  if (existing !== undefined) return existing
  const runIds = await findRuns(ctx, filter)
  const matched = runIds.length
  if (isDry) {
    const { type, id: by, name } = ctx.actor
    const created_by = { type, id: by, name }
    const times = { created_at: new Date(), finished_at: null }
    const counts = { matched, done: 0, skipped: 0, held: null, problems: [] }
    return { id: '', action, status: 'dry_run', ...counts, created_by, ...times }
  }
  if (matched === 0) throw cannot(ctx, 'invalid_value', 'no run matches', { param: 'filter' })
  return whileLocked(ctx, async (transaction) => {
    if ((await store.countOpen(transaction, ctx.accountId)) >= maxOpen) {
      throw tooMany(ctx, 'too_many_bulk_operations', maxOpen, 'bulk operations that are not over')
    }
    const operation = { id, action, filter, runIds, createdBy: ctx.actor }
    const made = await store.insertOperation(transaction, ctx.accountId, operation)
    await recordAudit(transaction, ctx, { objectId: id, after: { action, filter, matched } })
    return made
  })
}

export async function retrieveBulkOperation(ctx: Context, id: string): Promise<BulkOperation> {
  const found = await store.findOperation(ctx.database, ctx.accountId, id)
  if (found === undefined) throw notFound(ctx, 'bulk operation', id)
  return found
}

async function findRuns(ctx: Context, filter: BulkFilter): Promise<string[]> {
  const { run_ids: ids, status, error_code: codes, ...query } = filter
  const given = Object.values({ status, codes, ...query }).filter((value) => value !== undefined)
  if (ids !== undefined) {
    if (given.length > 0) {
      const why = 'run_ids goes without other fields of the filter'
      throw cannot(ctx, 'invalid_value', why, { param: 'filter.run_ids' })
    }
    const unique = [...new Set(ids)]
    const found = await readRunStates(ctx.reads, ctx.accountId, unique)
    return unique.filter((id) => found.has(id))
  }
  if (given.length === 0) {
    const why = 'the filter is empty, which means every run; expected at least one field'
    throw cannot(ctx, 'required', why, { param: 'filter' })
  }
  const asked = {
    ...query,
    ...(status && { status: status.join(',') }),
    ...(codes && { error_code: codes.join(',') }),
  }
  const page = await listRunKeys(ctx, { limit: maxRuns, after: undefined }, asked)
  if (page.next !== undefined) {
    const why = `more than ${maxRuns} runs match, the most of one operation; narrow the filter`
    throw cannot(ctx, 'invalid_value', why, { param: 'filter' })
  }
  return page.items.map(({ id }) => id)
}
