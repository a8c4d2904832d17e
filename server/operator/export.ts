import type { Database } from '../db/client.ts'
import { isExported, readHead, readPage } from './export-store.ts'
import { readAccountTables } from './tables.ts'

/** Rows of the first page; the next ones have about as many as make so many bytes. */
const firstRows = 10
const maxRows = 1_000
const pageBytes = 512 * 1024
/** A row of them may have megabytes. */
const largest = ['fine_tune_datasets', 'file_chunks', 'file_pages']

/**
 * All that an account owns as lines of JSON, a page in memory at a time. The last line has the type `end`;
 * without it the export is not whole.
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
    let limit = largest.includes(table.name) ? 1 : firstRows
    do {
      const page = await readPage(database, table, accountId, { after, limit })
      const text = page.rows.map((row) => `{"type":"${table.name}","data":${row}}\n`).join('')
      count += page.rows.length
      if (text !== '') yield text
      after = page.next
      const rowBytes = Math.max(1, text.length / Math.max(1, page.rows.length))
      // A page of small rows may be followed by large ones, so it grows slowly.
      limit = Math.max(1, Math.min(2 * limit, maxRows, Math.floor(pageBytes / rowBytes)))
    } while (after !== undefined)
  }
  yield `${JSON.stringify({ type: 'end', data: { rows: count } })}\n`
}
