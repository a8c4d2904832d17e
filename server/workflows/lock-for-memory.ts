import type { Transaction } from '../db/client.ts'
import type { Workflow } from './schema.ts'
import { holdWorkflow } from './store.ts'

/** A workflow whose memory nobody else writes until the transaction ends; runs may be added. */
export function lockWorkflowForMemory(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<Workflow | undefined> {
  return holdWorkflow(transaction, accountId, id)
}
