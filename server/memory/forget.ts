import type { Transaction } from '../db/client.ts'
import { lockOwner } from './lock-owner.ts'
import type { MemoryScope } from './scope.ts'
import { deleteEntry } from './store.ts'

/**
 * Deletes an entry of the scope for an agent. A pinned one stays: only people pin, and what they
 * pinned is theirs. False when nothing was deleted.
 */
export async function forgetFromRun(
  transaction: Transaction,
  { accountId, scope, id }: { accountId: string; scope: MemoryScope; id: string },
): Promise<boolean> {
  // A model wrote the id.
  if (!/^mem_[0-9a-z]{26}$/.test(id)) return false
  if (!(await lockOwner(transaction, accountId, scope))) return false
  return deleteEntry(transaction, accountId, scope, id, { unlessPinned: true })
}
