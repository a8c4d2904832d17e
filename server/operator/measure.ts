import type { Database } from '../db/client.ts'
import { measureTable } from './export-store.ts'
import { findToMeasure, saveStoredBytes } from './quota-store.ts'
import { readAccountTables } from './tables.ts'

/** Minutes after which an account with a quota on what it stores is measured again, unless it has much of it. */
const everyMinutes = 10

/** Measures one account; true when there may be another. */
export async function measureStored(database: Database): Promise<boolean> {
  const accountId = await findToMeasure(database, everyMinutes)
  if (accountId === undefined) return false
  let bytes = 0
  for (const table of await readAccountTables(database)) {
    bytes += await measureTable(database, table, accountId)
  }
  await saveStoredBytes(database, accountId, bytes)
  return true
}
