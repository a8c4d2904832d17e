import type { Database } from '../db/client.ts'
import { measureTable } from './export-store.ts'
import { findToMeasure, saveStoredBytes } from './quota-store.ts'
import { readAccountTables } from './tables.ts'

/** How often an account with a storage quota is measured, unless it is nearly used up. */
const everyMinutes = 10

/** Measures one account; true if there may be more to measure. */
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
