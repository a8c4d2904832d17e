import type { Database, Transaction } from '../db/client.ts'
import type { ShownEntry } from '../engine/run/step.ts'
import type { MemoryScope } from './schema.ts'
import { haveMemory, recallEntries } from './store.ts'

export { haveMemory }

/** Limit of characters of the pinned entries, and the same again of others. */
const maxCharacters = 4_000

/**
 * The entries for a step: pinned ones, newest first, then the best matches for the text. One
 * statement, for any text.
 */
export function recallMemory(
  database: Database | Transaction,
  accountId: string,
  scope: MemoryScope,
  text: string,
): Promise<ShownEntry[]> {
  return recallEntries(database, accountId, scope, text, maxCharacters)
}
