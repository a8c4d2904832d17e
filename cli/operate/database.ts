import type { Database } from '../../server/db/client.ts'
import { openDatabase } from './migrate.ts'

/** Works on the database of this machine's settings, with and without a running service. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const { createDatabase, createPool } = await import('../../server/db/client.ts')
  await using opened = await openDatabase()
  const database = createDatabase(createPool(opened.url, 2))
  try {
    return await work(database)
  } finally {
    await database.destroy()
  }
}
