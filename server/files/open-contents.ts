import type { Database } from '../db/client.ts'
import { ContentStores } from './contents.ts'
import { DatabaseContents } from './contents-store.ts'

/** The stores of file contents that a process has. */
export function openContents(database: Database): ContentStores {
  return new ContentStores(new DatabaseContents(database))
}
