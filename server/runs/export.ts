import { Readable } from 'node:stream'
import { csvHead, csvLine } from '../http/csv.ts'
import type { Call } from '../http/operation.ts'
import { sendPage, type PageRequest } from '../http/pagination.ts'
import { listRunKeys } from './list.ts'
import type { Run } from '../engine/wire/run.ts'
import type { RunsQuery } from '../engine/wire/runs-query.ts'
import { readRuns } from '../engine/reads/search.ts'

/**
 * The list of runs as a file. All ids are read first, so each run is listed once and `Link` leads
 * to the next part; the runs are then read in small batches, as fast as the client reads.
 */
const maxRows = 10_000
/** A run may have 100 KB and more. */
const rowsAtOnce = 50

const columns: [name: string, of: (run: Run) => string | number | null][] = [
  ['id', ({ id }) => id],
  ['workflow_id', ({ workflow_id }) => workflow_id],
  ['status', ({ status }) => status],
  ['error_code', ({ error_code }) => error_code],
  ['error', ({ error }) => error],
  ['created_at', ({ created_at }) => created_at.toISOString()],
  ['started_at', ({ started_at }) => started_at?.toISOString() ?? null],
  ['finished_at', ({ finished_at }) => finished_at?.toISOString() ?? null],
  ['total_steps', ({ total_steps }) => total_steps],
  ['tokens_in', ({ tokens_in }) => tokens_in],
  ['tokens_out', ({ tokens_out }) => tokens_out],
  ['cost_usd', ({ cost_usd }) => cost_usd],
  ['retry_of', ({ retry_of }) => retry_of],
  ['forked_from', ({ forked_from }) => forked_from && forked_from.run_id],
  ['triggered_by', ({ triggered_by }) => triggered_by?.id ?? null],
  ['tags', ({ tags }) => JSON.stringify(tags)],
  ['warnings', ({ warnings }) => warnings.map(({ code }) => code).join(' ')],
  ['input', ({ input }) => input],
  ['data', ({ data }) => data && JSON.stringify(data)],
  ['output', ({ output }) => output],
  ['output_json', ({ output_json }) => output_json && JSON.stringify(output_json)],
  ['calls_without_price', ({ calls_without_price }) => calls_without_price],
]

interface Form {
  extension: string
  head: string
  lineOf: (run: Run) => string
}

export const exportForms = {
  'text/csv': {
    extension: 'csv',
    head: csvHead(columns),
    lineOf: (run) => csvLine(columns, run),
  },
  'application/x-ndjson': {
    extension: 'jsonl',
    head: '',
    lineOf: (run) => `${JSON.stringify(run)}\n`,
  },
} satisfies Record<string, Form>

export async function sendRuns(
  { ctx, request, reply }: Pick<Call, 'ctx' | 'request' | 'reply'>,
  { type, page, query }: { type: keyof typeof exportForms; page: PageRequest; query: RunsQuery },
  signal: AbortSignal,
): Promise<void> {
  const keys = await listRunKeys(ctx, { ...page, limit: page.limit ?? maxRows }, query)
  const ids = sendPage(request, reply, keys).map(({ id }) => id)
  const form: Form = exportForms[type]
  const read = (some: string[]): Promise<Run[]> =>
    request.server.large.read(request, () => readRuns(ctx.reads, ctx.accountId, some))
  const options = { objectMode: false, highWaterMark: 64 * 1024, signal }
  void reply
    .type(`${type}; charset=utf-8`)
    .header('content-disposition', `attachment; filename="runs.${form.extension}"`)
    .send(Readable.from(linesOf(form, ids, read), options))
}

async function* linesOf(
  { head, lineOf }: Form,
  ids: string[],
  read: (ids: string[]) => Promise<Run[]>,
): AsyncGenerator<string> {
  if (head !== '') yield head
  for (let start = 0; start < ids.length; start += rowsAtOnce) {
    for (const run of await read(ids.slice(start, start + rowsAtOnce))) yield lineOf(run)
  }
}
