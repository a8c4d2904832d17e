import type { Transaction } from '../db/client.ts'
import { insertDeliveries, type AccountEvent } from './store.ts'

/** Sends an event to an account's webhooks, in the transaction of its cause. */
export function publishEvent(
  transaction: Transaction,
  accountId: string,
  event: AccountEvent,
): Promise<void> {
  return insertDeliveries(transaction, accountId, event)
}
