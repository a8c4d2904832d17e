import { recordAudit } from '../../audit/record.ts'
import { whileLocked } from '../../accounts/bounds.ts'
import type { Context } from '../../context.ts'
import { cannot, tooMany } from '../../errors.ts'
import { shareFiles } from '../../engine/journal/files.ts'
import { readFigures } from '../../engine/reads/run-figures.ts'
import { newId } from '../../ids.ts'
import { wholeEnd } from '../../safe-text.ts'
import { openDataCheck } from '../../workflows/check-data.ts'
import { requireWorkflow } from '../../workflows/workflows.ts'
import type { JsonSchema } from '../../json-schema/check-schema.ts'
import { unpack, type ItemsPart, type PackedItems } from './packed-items.ts'
import type { Batch, BatchEstimate, BatchItemInput, CreateBatch } from './schema.ts'
import * as itemStore from './item-store.ts'
import * as store from './store.ts'
import { typed, type InexactNumber } from './typed.ts'

/** Limit of unfinished batches for an account. */
const maxOpen = 100
/** Input of a run with files if neither its item nor the batch has one. */
const inputForFiles = 'Work on the attached file.'
const sampledRuns = 100

interface ArrivedItems {
  /** Absent for a batch of files. */
  packed: PackedItems | undefined
  /** Throws for items that do not fit the schema of the body. */
  validate: (part: ItemsPart) => void
  /** The values of `data` are texts. */
  isCsv: boolean
}

/** Starts a batch, or with `dry_run` estimates its cost. */
export async function createBatch(
  ctx: Context,
  workflowId: string,
  id: string,
  body: CreateBatch,
  arrived: ArrivedItems,
): Promise<Batch | BatchEstimate> {
  const existing = await store.findBatch(ctx.database, ctx.accountId, id)
  if (existing !== undefined) return existing
  const { input_schema: schema } = await requireWorkflow(ctx, workflowId)
  const { total, parts } = itemsOf(ctx, body, arrived, schema)
  const names = await checkItems(ctx, workflowId, parts(arrived.validate))
  const concurrency = body.concurrency ?? Math.max(1, Math.floor(ctx.accountConcurrency / 2))
  if (body.dry_run === true) return estimate(ctx, workflowId, total, concurrency)
  const name = body.name ?? null
  const batch = { id, workflowId, name, concurrency, total, createdBy: ctx.actor }
  return whileLocked(ctx, async (transaction) => {
    const open = await store.countOpen(transaction, ctx.accountId)
    if (open >= maxOpen) {
      throw tooMany(ctx, 'too_many_batches', maxOpen, 'batches that have not ended')
    }
    await store.insertBatch(transaction, ctx.accountId, batch)
    const keyOf = body.files === undefined ? undefined : uniqueNames()
    const toRow = ({ key, ...item }: BatchItemInput, position: number): itemStore.NewItem => {
      const tags = { ...item.tags, batch: id }
      const file = names.get(item.files?.[0] ?? '') ?? null
      return {
        position,
        key: keyOf === undefined || file === null ? (key ?? null) : keyOf(file),
        file,
        item: { ...item, tags },
        run_id: newId('run'),
      }
    }
    await itemStore.insertItems(transaction, ctx.accountId, id, rowsOf(parts(), toRow))
    const after = { workflow_id: workflowId, name, total, concurrency }
    await recordAudit(transaction, ctx, { objectId: id, after })
    return (await store.findBatch(transaction, ctx.accountId, id)) as Batch
  })
}

async function* rowsOf(
  parts: AsyncIterable<ItemsPart>,
  toRow: (item: BatchItemInput, position: number) => itemStore.NewItem,
): AsyncGenerator<itemStore.NewItem> {
  for await (const { place, items } of parts) {
    for (const [at, item] of items.entries()) yield toRow(item, place + at)
  }
}

type Parts = (validate?: ArrivedItems['validate']) => AsyncGenerator<ItemsPart>

/** The items, a part at a time; between two, other requests get a turn. */
function itemsOf(
  ctx: Context,
  { files, input }: CreateBatch,
  { packed, isCsv }: ArrivedItems,
  schema: JsonSchema | null,
): { total: number; parts: Parts } {
  if (files !== undefined && packed === undefined) {
    const items = files.map((file) => ({ files: [file], input: input ?? inputForFiles }))
    return {
      total: items.length,
      parts: async function* () {
        yield { place: 0, items }
      },
    }
  }
  if (files !== undefined || packed === undefined) {
    throw cannot(ctx, 'required', 'expected either items or files', { param: 'items' })
  }
  const withInput = (item: BatchItemInput): BatchItemInput => {
    if (item.input !== undefined || item.data != null) return item
    if (input !== undefined) return { ...item, input }
    return item.files === undefined ? item : { ...item, input: inputForFiles }
  }
  return {
    total: packed.count,
    parts: async function* (validate = () => {}) {
      for (const part of unpack(packed)) {
        await new Promise(setImmediate)
        validate(part)
        const given = { ...part, items: part.items.map(withInput) }
        const items =
          isCsv && schema !== null ? typed(given, schema, refuseInexact(ctx)) : given.items
        yield { ...part, items }
      }
    },
  }
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
 * first files, by id.
 */
async function checkItems(
  ctx: Context,
  workflowId: string,
  parts: AsyncIterable<ItemsPart>,
): Promise<Map<string, string>> {
  const { check } = await openDataCheck(ctx, workflowId)
  const keys = new Map<string, number>()
  const names = new Map<string, string>()
  for await (const part of parts) {
    for (const [at, item] of part.items.entries()) {
      checkItem(ctx, item, part.place + at, keys)
      await check(item.data ?? null, `items[${part.place + at}].data`)
    }
    const found = await checkFiles(ctx, part)
    for (const { files: [first = ''] = [] } of part.items) {
      const name = found.get(first)
      if (name !== undefined) names.set(first, name)
    }
  }
  return names
}

function checkItem(
  ctx: Context,
  { key, input, data = null, tags = {} }: BatchItemInput,
  place: number,
  keys: Map<string, number>,
): void {
  const at = `items[${place}]`
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
}

async function checkFiles(ctx: Context, { place, items }: ItemsPart): Promise<Map<string, string>> {
  const named = items.flatMap(({ files = [] }, at) =>
    files.map((id, number) => [id, `items[${place + at}].files[${number}]`] as const),
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
