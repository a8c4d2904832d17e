import { personOf } from '../../accounts/authors.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../db/client.ts'
import { readSmallOutputs } from '../../engine/reads/run-figures.ts'
import { cannot, notFound } from '../../errors.ts'
import {
  wrongCursor,
  type Page,
  type PageRequest,
  type TextPage,
  type TextPageRequest,
} from '../../http/pagination.ts'
import type { Batch, BatchItem, ItemStatus } from './schema.ts'
import * as itemStore from './item-store.ts'
import * as store from './store.ts'

/**
 * A batch runs one workflow on many inputs, one run for each item. It is running, then completed
 * once every item has ended, or cancelling, then cancelled. An item is queued until its run starts,
 * and then follows its run. `create.ts` stores a batch or estimates its cost, `definition.ts` starts
 * its runs in the background, and this file has the other operations.
 */

/** Newest first, 50 by default. */
export function listBatches(
  ctx: Context,
  { limit = 50, after }: PageRequest,
  workflowId: string | undefined,
): Promise<Page<Batch>> {
  return store.listBatches(ctx.reads, ctx.accountId, { limit, after }, workflowId)
}

export async function retrieveBatch(ctx: Context, id: string): Promise<Batch> {
  const batch = await store.findBatch(ctx.database, ctx.accountId, id)
  if (batch === undefined) throw notFound(ctx, 'batch', id)
  return batch
}

/** The results have larger outputs. */
const shownOutputBytes = 4_096

/** In the order of the batch, 50 by default. */
export async function listItems(
  ctx: Context,
  id: string,
  { limit = 50, after }: TextPageRequest,
  { status, has_warnings: hasWarnings }: { status?: ItemStatus; has_warnings?: boolean },
): Promise<TextPage<BatchItem>> {
  await retrieveBatch(ctx, id)
  if (after !== undefined && !/^\d{1,9}$/.test(after)) throw wrongCursor(ctx.action)
  const asked = { limit: limit + 1, after: Number(after ?? -1), status, hasWarnings }
  const rows = await itemStore.listItems(ctx.reads, ctx.accountId, id, asked)
  const ids = rows.flatMap((item) => item.run_id ?? [])
  const outputs = await readSmallOutputs(ctx.reads, ctx.accountId, ids, shownOutputBytes)
  const items = rows
    .slice(0, limit)
    .map((item) => ({ ...item, output_json: outputs.get(item.run_id ?? '') ?? null }))
  return { items, next: rows.length > limit ? String(items.at(-1)?.position) : undefined }
}

/**
 * Cancels a batch: no further items start, and runs in progress are cancelled. A finished batch
 * stays unchanged.
 */
export function cancelBatch(ctx: Context, id: string): Promise<Batch> {
  return change(ctx, id, async (transaction, batch) => {
    if (batch.status !== 'running') return batch
    await itemStore.cancelQueued(transaction, { accountId: ctx.accountId, id })
    return next(ctx, transaction, { ...batch, status: 'cancelling' })
  })
}

/** Retries failed items, each from its failed step. */
export function retryFailed(ctx: Context, id: string): Promise<Batch> {
  return change(ctx, id, async (transaction, batch) => {
    if (batch.status === 'cancelling') {
      throw cannot(ctx, 'batch_not_ended', 'the batch is being cancelled, wait until it has ended')
    }
    const count = await itemStore.requeueFailed(transaction, ctx.accountId, id, personOf(ctx.actor))
    return count === 0 ? batch : next(ctx, transaction, { ...batch, status: 'running' })
  })
}

async function change(
  ctx: Context,
  id: string,
  work: (transaction: Transaction, batch: Batch) => Promise<Batch>,
): Promise<Batch> {
  return ctx.database.transaction().execute(async (transaction) => {
    const before = await store.findBatch(transaction, ctx.accountId, id, 'for no key update')
    if (before === undefined) throw notFound(ctx, 'batch', id)
    const after = await work(transaction, before)
    const shown = ({ status, queued, failed }: Batch) => ({ status, queued, failed })
    await recordAudit(transaction, ctx, {
      objectId: id,
      before: shown(before),
      after: shown(after),
    })
    return after
  })
}

/** Makes the next pass over the batch due now. */
async function next(
  { accountId }: Context,
  transaction: Transaction,
  { id, status }: Batch,
): Promise<Batch> {
  const key = { accountId, id }
  const counts = await itemStore.countItems(transaction, key)
  return store.updateBatch(transaction, key, { counts, status, due: 'now' })
}
