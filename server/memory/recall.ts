import type { Database, Transaction } from '../db/client.ts'
import type { ShownEntry } from '../engine/run/step.ts'
import type { MemoryScope } from './scope.ts'
import { haveMemory, recallEntries } from './store.ts'

export { haveMemory }

/** Characters of the pinned entries, and as many of the others. */
const maxCharacters = 4_000

/**
 * What a step is shown: pinned entries, newest first, then those that fit the text best. One
 * statement, for a text of any length and content.
 */
export function recallMemory(
  database: Database | Transaction,
  accountId: string,
  scope: MemoryScope,
  text: string,
): Promise<ShownEntry[]> {
  return recallEntries(database, accountId, scope, text, maxCharacters)
}
