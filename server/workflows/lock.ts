import type { Transaction } from '../db/client.ts'
import type { Workflow } from './schema.ts'
import * as store from './store.ts'

/** A workflow, locked until the transaction ends; see `LockStrength`. */
export function lockWorkflow(
  transaction: Transaction,
  accountId: string,
  id: string,
  strength: store.LockStrength,
): Promise<Workflow | undefined> {
  return store.lockWorkflow(transaction, accountId, id, strength)
}
