import type { Transaction } from '../db/client.ts'
import { lockAgent } from './store.ts'

/** Whether the agent is there; nobody else writes its memory until the transaction ends. */
export async function lockAgentForMemory(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<boolean> {
  return (await lockAgent(transaction, accountId, id)) !== undefined
}
