import { recordAudit } from '../audit/record.ts'
import { whileLocked } from '../accounts/bounds.ts'
import type { Context } from '../context.ts'
import { cannot, tooMany } from '../errors.ts'
import { shareFiles } from '../engine/journal/files.ts'
import { readFigures } from '../engine/reads/run-figures.ts'
import { newId } from '../ids.ts'
import { wholeEnd } from '../safe-text.ts'
import { openDataCheck } from '../workflows/check-data.ts'
import { retrieveWorkflow } from '../workflows/workflows.ts'
import type { Batch, BatchEstimate, BatchItemInput, CreateBatch } from './schema.ts'
import * as store from './store.ts'
import { itemsAtOnce, typed, type InexactNumber } from './typed.ts'

/** Limit of unfinished batches for an account. */
const maxOpen = 100
/** Input of a run with files if neither its item nor the batch has one. */
const inputForFiles = 'Work on the attached file.'
const sampledRuns = 100

/** Starts a batch, or with `dry_run` estimates its cost. `isCsv`: the values of `data` are texts. */
export async function createBatch(
  ctx: Context,
  workflowId: string,
  id: string,
  body: CreateBatch,
  isCsv: boolean,
): Promise<Batch | BatchEstimate> {
  const existing = await store.findBatch(ctx.database, ctx.accountId, id)
  if (existing !== undefined) return existing
  const { input_schema: schema } = await retrieveWorkflow(ctx, workflowId)
  const given = itemsOf(ctx, body)
  const items = isCsv && schema !== null ? await typed(given, schema, refuseInexact(ctx)) : given
  const names = await checkItems(ctx, workflowId, items)
  const concurrency = body.concurrency ?? Math.max(1, Math.floor(ctx.accountConcurrency / 2))
  if (body.dry_run === true) return estimate(ctx, workflowId, items.length, concurrency)
  const total = items.length
  const name = body.name ?? null
  const batch = { id, workflowId, name, concurrency, total, createdBy: ctx.actor }
  return whileLocked(ctx, async (transaction) => {
    const open = await store.countOpen(transaction, ctx.accountId)
    if (open >= maxOpen) {
      throw tooMany(ctx, 'too_many_batches', maxOpen, 'batches that have not ended')
    }
    await store.insertBatch(transaction, ctx.accountId, batch)
    const keyOf = body.files === undefined ? undefined : uniqueNames()
    const rows = items.map(({ key = null, ...item }, position) => {
      const tags = { ...item.tags, batch: id }
      const file = names.get(item.files?.[0] ?? '') ?? null
      return {
        position,
        key: keyOf === undefined || file === null ? key : keyOf(file),
        file,
        item: { ...item, tags },
        run_id: newId('run'),
      }
    })
    await store.insertItems(transaction, ctx.accountId, id, rows)
    const after = { workflow_id: workflowId, name, total, concurrency }
    await recordAudit(transaction, ctx, { objectId: id, after })
    return (await store.findBatch(transaction, ctx.accountId, id)) as Batch
  })
}

function itemsOf(ctx: Context, { items, files, input }: CreateBatch): BatchItemInput[] {
  if ((items === undefined) === (files === undefined)) {
    throw cannot(ctx, 'required', 'expected either items or files', { param: 'items' })
  }
  if (files !== undefined) {
    return files.map((file) => ({ files: [file], input: input ?? inputForFiles }))
  }
  return (items ?? []).map((item) => {
    if (item.input !== undefined || item.data != null) return item
    if (input !== undefined) return { ...item, input }
    return item.files === undefined ? item : { ...item, input: inputForFiles }
  })
}

function refuseInexact(ctx: Context): (inexact: InexactNumber) => never {
  return ({ place, name, number }) => {
    const param = `items[${place}].data.${name}`
    const why = `${param}: the number ${number} is too large to be kept exactly, send it as a text`
    throw cannot(ctx, 'number_too_large', why, { param })
  }
}

const maxKey = 200

/** Makes a key of each file's name; the second file of a name gets ` (2)` behind it. */
function uniqueNames(): (name: string) => string {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return (name) => {
    let key = name.slice(0, wholeEnd(name, maxKey))
    let count = counts.get(key) ?? 1
    const base = key.slice(0, wholeEnd(key, maxKey - 8))
    while (taken.has(key)) key = `${base} (${(count += 1)})`
    counts.set(name.slice(0, wholeEnd(name, maxKey)), count)
    taken.add(key)
    return key
  }
}

/**
 * Throws for items that a trigger would reject, with their position. Returns the names of their
 * files, by id.
 */
async function checkItems(
  ctx: Context,
  workflowId: string,
  items: BatchItemInput[],
): Promise<Map<string, string>> {
  const names = await checkFiles(ctx, items)
  const { check } = await openDataCheck(ctx, workflowId)
  const keys = new Map<string, number>()
  for (const [place, { key, input, data = null, tags = {} }] of items.entries()) {
    const at = `items[${place}]`
    if (place % itemsAtOnce === 0) await new Promise(setImmediate)
    const earlier = key === undefined ? undefined : keys.get(key)
    if (earlier !== undefined) {
      const why = `${at}.key is that of items[${earlier}] too, expected each once`
      throw cannot(ctx, 'invalid_value', why, { param: `${at}.key` })
    }
    if (key !== undefined) keys.set(key, place)
    if (input === undefined && data === null) {
      throw cannot(ctx, 'required', `${at} has neither input nor data`, { param: `${at}.input` })
    }
    if ('batch' in tags || Object.keys(tags).length > 15) {
      const why = `${at}.tags has more than 15 tags, or one named batch, which Muster sets`
      throw cannot(ctx, 'invalid_value', why, { param: `${at}.tags` })
    }
    await check(data, `${at}.data`)
  }
  return names
}

async function checkFiles(ctx: Context, items: BatchItemInput[]): Promise<Map<string, string>> {
  const named = items.flatMap(({ files = [] }, place) =>
    files.map((id, number) => [id, `items[${place}].files[${number}]`] as const),
  )
  if (named.length === 0) return new Map()
  const ids = [...new Set(named.map(([id]) => id))]
  const found = await ctx.database
    .transaction()
    .execute((transaction) => shareFiles(transaction, ctx.accountId, ids))
  const absent = named.find(([id]) => !found.has(id))
  if (absent === undefined) return found
  const [id, param] = absent
  throw cannot(ctx, 'unknown_file', `${param} is ${id}, which is no file of this account`, {
    param,
  })
}

async function estimate(
  ctx: Context,
  workflowId: string,
  total: number,
  concurrency: number,
): Promise<BatchEstimate> {
  const figures = await readFigures(ctx.reads, ctx.accountId, workflowId, sampledRuns)
  const times = (factor: number, one: number | null): number | null =>
    one === null ? null : Number((factor * one).toPrecision(4))
  const rounds = Math.ceil(total / concurrency)
  return {
    total,
    sampled_runs: figures.runs,
    cost_usd_p50: times(total, figures.cost_p50),
    cost_usd_p95: times(total, figures.cost_p95),
    calls_without_price: figures.unpriced,
    seconds_p50: times(rounds, figures.seconds_p50),
    seconds_p95: times(rounds, figures.seconds_p95),
  }
}
