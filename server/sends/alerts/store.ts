import { sql } from 'kysely'
import type { Transaction } from '../../db/client.ts'
import { OwnedTable } from '../../db/owned-table.ts'
import type { WorkItem, WorkTable } from '../../work/table.ts'
import { Alert } from './schema.ts'

/** SQL of alerts; `causes-store.ts` finds their causes. */
export const alerts = new OwnedTable<Alert>('alerts', Object.keys(Alert.properties))

export async function beginWatching(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<void> {
  await sql`
    update alerts set told_until = now() where account_id = ${accountId} and id = ${id}`.execute(
    transaction,
  )
}

/** Whether the pause after an alert's last message is over. */
const isPauseOver = sql<boolean>`
  (last_fired_at is null or last_fired_at + at_most_every_minutes * interval '1 minute' <= now())`

/** Alerts as work: each active one is checked again and again. */
export const dueAlerts: WorkTable<WorkItem> = {
  name: 'alerts',
  isOpen: sql`item.active and ${isPauseOver}`,
  dueAt: 'next_check_at',
  leaseSeconds: 30,
  settled: { columns: {} },
}

export interface DueAlert extends Alert {
  told_until: Date
  /** The time of the database. */
  at: Date
}

/**
 * Locks an alert for its check; undefined if another process is checking it, or it was deleted or
 * has just fired.
 */
export async function lockAlert(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<DueAlert | undefined> {
  const { rows } = await sql<DueAlert>`
    select ${alerts.fields}, told_until, now() as at from alerts
    where account_id = ${accountId} and id = ${id} and active and ${isPauseOver}
    for no key update skip locked`.execute(transaction)
  return rows[0]
}

/** Causes up to now are sent, and the pause begins. */
export async function recordFired(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<void> {
  await sql`
    update alerts set last_fired_at = now(), told_until = now()
    where account_id = ${accountId} and id = ${id}`.execute(transaction)
}
