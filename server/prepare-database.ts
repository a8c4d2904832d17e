import { createDatabase, createPool } from './db/client.ts'
import { migrate } from './db/migrate.ts'
import { installQueue } from './queue/queue.ts'

/** Brings a database to this build's schema, the queue's tables included. */
export async function prepareDatabase(url: string): Promise<{ applied: string[] }> {
  // Migrations take their time.
  const pool = createPool(url, 2, { answerMs: 0 })
  const database = createDatabase(pool)
  try {
    const migrated = await migrate(pool)
    await installQueue(database)
    return migrated
  } finally {
    await database.destroy()
  }
}
