import type { Database } from '../db/client.ts'
import { isExported, readHead, readPage } from './export-store.ts'
import { readAccountTables } from './tables.ts'
import { Readable } from 'node:stream'
import type { Call } from '../http/operation.ts'

/** Maximum bytes of a page, not counting its last row. */
const pageBytes = 512 * 1024
const maxRows = 1_000

/**
 * Everything that an account owns, as lines of JSON, one page in memory at a time. The last line
 * has the type `end`; without it the export is incomplete.
 */
export async function* exportAccount(
  database: Database,
  accountId: string,
): AsyncGenerator<string> {
  const head = await readHead(database, accountId)
  let count = head.length
  yield head.map((line) => `${JSON.stringify(line)}\n`).join('')
  for (const table of (await readAccountTables(database)).filter(isExported)) {
    let after: string[] | undefined
    let limit = 1
    do {
      const page = await readPage(database, table, accountId, { after, limit, bytes: pageBytes })
      const text = page.rows.map((row) => `{"type":"${table.name}","data":${row}}\n`).join('')
      count += page.rows.length
      if (text !== '') yield text
      after = page.next
      // PostgreSQL serializes every row that it reads, so rows that did not fit cost time again.
      limit = Math.min(2 * Math.max(1, page.rows.length), maxRows)
    } while (after !== undefined)
  }
  yield `${JSON.stringify({ type: 'end', data: { rows: count } })}\n`
}

/** Streams an account's export; a disconnect, or the end of the key or session, stops it. */
export async function sendExport(
  { ctx, request, reply }: Pick<Call, 'ctx' | 'request' | 'reply'>,
  accountId: string,
): Promise<void> {
  // The operator's key comes from the configuration and does not expire.
  const signal = ctx.role === 'operator' ? undefined : request.server.held.hold(request, reply)
  const slot = await ctx.limits.exports.take(accountId, ctx.action)
  if (reply.raw.destroyed) slot[Symbol.dispose]()
  else reply.raw.once('close', () => slot[Symbol.dispose]())
  signal?.throwIfAborted()
  const lines = exportAccount(ctx.reads, accountId)
  const options = { objectMode: false, highWaterMark: 64 * 1024, ...(signal && { signal }) }
  const name = `muster-${accountId}.jsonl`
  void reply
    .type('application/x-ndjson; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(Readable.from(lines, options))
}
