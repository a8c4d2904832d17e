import type { Transaction } from '../db/client.ts'
import { newId } from '../ids.ts'
import { publishEvent } from '../webhooks/publish.ts'
import type { ScheduleRow } from './store.ts'

/** Limit of times that one event lists. */
const maxNamed = 100

/** Sends `schedule.missed` to webhooks, in the transaction that records the missed times. */
export function publishMissed(
  transaction: Transaction,
  accountId: string,
  { id, name, workflow_id }: Pick<ScheduleRow, 'id' | 'name' | 'workflow_id'>,
  missed: { due_at: Date; why: string | null }[],
): Promise<void> {
  const data = {
    schedule: { id, name },
    workflow_id,
    missed: missed.length,
    due_at: missed.slice(-maxNamed).map(({ due_at }) => due_at),
    why: missed.at(-1)?.why ?? null,
  }
  const event = {
    id: newId('evt'),
    type: 'schedule.missed',
    data,
    workflowId: workflow_id,
  } as const
  return publishEvent(transaction, accountId, event)
}
