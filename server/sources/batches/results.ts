import { Readable } from 'node:stream'
import { csvHead, csvLine } from '../../http/csv.ts'
import type { Call } from '../../http/operation.ts'
import { readRuns } from '../../engine/reads/search.ts'
import { readOutputFields } from '../../engine/reads/run-figures.ts'
import type { Run } from '../../engine/wire/run.ts'
import { retrieveBatch } from './batches.ts'
import { maxItems } from './limits.ts'
import { listItems, type ListedItem } from './item-store.ts'

/** The results of a batch as a file, in the order of its items. Runs are read a few at a time, at the client's pace. */
export const resultTypes = ['text/csv', 'application/x-ndjson'] as const
type ResultType = (typeof resultTypes)[number]

/** A run may have 100 KB and more. */
const itemsAtOnce = 50
const maxFields = 200

interface Result {
  item: ListedItem
  /** Undefined if the item has not started or its run was deleted. */
  run: Run | undefined
}

export async function sendResults(
  { ctx, request, reply }: Pick<Call, 'ctx' | 'request' | 'reply'>,
  id: string,
  type: ResultType,
  signal: AbortSignal,
): Promise<void> {
  const { accountId, reads } = ctx
  await retrieveBatch(ctx, id)
  const asked = { limit: maxItems, after: -1 }
  const items = await listItems(reads, accountId, id, asked)
  const ids = items.flatMap(({ run_id }) => run_id ?? [])
  const isCsv = type === 'text/csv'
  const fields = isCsv ? await readOutputFields(reads, accountId, ids, maxFields) : []
  const read = (some: ListedItem[]): Promise<Result[]> =>
    request.server.large.read(request, async () => {
      const runs = await readRuns(
        reads,
        accountId,
        some.flatMap(({ run_id }) => run_id ?? []),
      )
      const byId = new Map(runs.map((run) => [run.id, run]))
      return some.map((item) => ({ item, run: byId.get(item.run_id ?? '') }))
    })
  const lines = isCsv ? csvOf(fields) : jsonLines
  const options = { objectMode: false, highWaterMark: 64 * 1024, signal }
  void reply
    .type(`${type}; charset=utf-8`)
    .header('content-disposition', `attachment; filename="${id}.${isCsv ? 'csv' : 'jsonl'}"`)
    .send(Readable.from(linesOf(lines, items, read), options))
}

interface Lines {
  head: string
  lineOf: (result: Result) => string
}

const jsonLines: Lines = {
  head: '',
  lineOf: ({ item, run }) => {
    const { position, key, file, file_id, status, run_id, error, cost_usd } = item
    const { run_has_warnings, calls_without_price } = item
    const output = run?.output ?? null
    const output_json = run?.output_json ?? null
    const line = {
      position,
      key,
      file,
      file_id,
      status,
      run_id,
      output,
      output_json,
      error,
      cost_usd,
      calls_without_price,
      run_has_warnings,
    }
    return `${JSON.stringify(line)}\n`
  },
}

/** The fields of `output_json` are columns of their own, after the others. */
function csvOf(fields: string[]): Lines {
  const columns: [string, (result: Result) => string | number | null][] = [
    ['key', ({ item }) => item.key],
    ['file', ({ item }) => item.file],
    ['file_id', ({ item }) => item.file_id],
    ['status', ({ item }) => item.status],
    ['run_id', ({ item }) => item.run_id],
    ['cost_usd', ({ item }) => item.cost_usd],
    ['error', ({ item }) => item.error],
    ['output', ({ run }) => run?.output ?? null],
    ['run_has_warnings', ({ item }) => String(item.run_has_warnings)],
    ['calls_without_price', ({ item }) => item.calls_without_price],
    ...fields.map((field): [string, (result: Result) => string | number | null] => [
      toCell(`output_json.${field}`),
      ({ run }) => toText((run?.output_json as Record<string, unknown> | null)?.[field]),
    ]),
  ]
  return { head: csvHead(columns), lineOf: (result) => csvLine(columns, result) }
}

/** Quotes names that contain a separator. */
function toCell(name: string): string {
  return /[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name
}

function toText(value: unknown): string | number | null {
  if (value == null) return null
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)
}

async function* linesOf(
  { head, lineOf }: Lines,
  items: ListedItem[],
  read: (items: ListedItem[]) => Promise<Result[]>,
): AsyncGenerator<string> {
  if (head !== '') yield head
  for (let start = 0; start < items.length; start += itemsAtOnce) {
    for (const result of await read(items.slice(start, start + itemsAtOnce))) yield lineOf(result)
  }
}
