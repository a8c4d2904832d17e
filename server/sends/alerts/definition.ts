import type { Services } from '../../context.ts'
import { done } from '../../work/outcome.ts'
import { settleRows, type WorkItem } from '../../work/table.ts'
import type { Work } from '../../work/worker.ts'
import { checkAlert } from './check.ts'
import { dueAlerts } from './store.ts'

/**
 * Alerts as work: each active alert is checked for causes again and again. All causes since its last message go into one
 * message for each recipient; then the alert pauses, and later causes are sent after the pause. The messages are written in
 * the transaction that begins the pause, so that a check that is repeated after a crash sends nothing twice.
 */
export function alertWork(
  services: Pick<Services, 'database' | 'accountModels'>,
  everyMs: number,
): Work<WorkItem> {
  return {
    what: 'a check of an alert',
    table: dueAlerts,
    // A check is a transaction of several reads, and few connections are for background work.
    atOnce: 2,
    perAccount: 2,
    everyMs,
    run: async (alert) => done(await checkAlert(services, alert)),
    async settle(settled) {
      const rows = settled.map(({ accountId, item: { id }, waitSeconds }) => ({
        accountId,
        id,
        // Also after the message, when the alert is no longer open but pauses.
        isCertain: true,
        // Less than the interval, so that the alert is due again at the next claim.
        waitSeconds: waitSeconds ?? everyMs / 2_000,
        values: {},
      }))
      await settleRows(services.database, dueAlerts, rows)
    },
  }
}
