import type { Database } from '../db/client.ts'
import { claimOf, type WorkItem } from './table.ts'
import type { Work } from './worker.ts'

/** For tests: does what is due of a kind of work, and settles nothing. Rejects with the error of an item. */
export async function doDue<Item extends WorkItem, Value>(
  database: Database,
  { table, run }: Pick<Work<Item, Value>, 'table' | 'run'>,
): Promise<void> {
  const limits = { count: 100, perAccount: 100, busy: [] }
  const { items } = await claimOf(table)(database, limits, '')
  await Promise.all(items.map((item) => run(item, new AbortController().signal)))
}
