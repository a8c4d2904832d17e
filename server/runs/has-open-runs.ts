import type { Transaction } from '../db/client.ts'
import * as store from './store.ts'

/** Whether a workflow has runs that have not ended. */
export function hasOpenRuns(
  transaction: Transaction,
  accountId: string,
  workflowId: string,
): Promise<boolean> {
  return store.hasOpenRuns(transaction, accountId, workflowId)
}
