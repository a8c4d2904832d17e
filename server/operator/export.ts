import type { Database } from '../db/client.ts'
import { isExported, readHead, readPage } from './export-store.ts'
import { readAccountTables } from './tables.ts'

/** Of a page, but for its last row. */
const pageBytes = 512 * 1024
const maxRows = 1_000

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
    let limit = 1
    do {
      const page = await readPage(database, table, accountId, { after, limit, bytes: pageBytes })
      const text = page.rows.map((row) => `{"type":"${table.name}","data":${row}}\n`).join('')
      count += page.rows.length
      if (text !== '') yield text
      after = page.next
      // PostgreSQL makes the text of all rows that it looks at: those that did not fit are made again.
      limit = Math.min(2 * Math.max(1, page.rows.length), maxRows)
    } while (after !== undefined)
  }
  yield `${JSON.stringify({ type: 'end', data: { rows: count } })}\n`
}
