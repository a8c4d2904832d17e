import type { Transaction } from '../db/client.ts'
import type { Workflow } from './schema.ts'
import { shareWorkflow } from './store.ts'

/** A workflow that cannot be deleted until the transaction ends, so that a run may be added. */
export function lockForRuns(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<Workflow | undefined> {
  return shareWorkflow(transaction, accountId, id)
}
