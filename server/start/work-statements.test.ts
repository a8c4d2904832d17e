import { it } from 'node:test'
import { refreshing } from '../connectors/oauth/login-store.ts'
import { batches } from '../sources/batches/store.ts'
import { dueMessages } from '../sources/threads/turn-store.ts'
import { operations } from '../sources/bulk/store.ts'
import { messages } from '../sends/channels/notification-store.ts'
import { checkStatements, type Statements } from '../db/test-statements.ts'
import { deliveries as hookDeliveries } from '../sources/hooks/delivery-store.ts'
import { polling } from '../sources/mailboxes/store.ts'
import { firings } from '../sources/schedules/firing-store.ts'
import { dueAlerts } from '../sends/alerts/store.ts'
import { deliveries } from '../sends/webhooks/definition.ts'
import { dueDocuments } from '../connectors/http/http-store.ts'
import { dueJobs } from '../fine-tunes/tracking-store.ts'
import { unusedContents } from '../files/store.ts'
import { claimOf, renewClaims, settleRows, type WorkItem, type WorkTable } from '../work/table.ts'

/** The statements of a kind of work. */
function statementsOf<Item extends WorkItem>(table: WorkTable<Item>): Statements {
  const key = { accountId: 'acc_1', id: 'id_1' }
  const settlement = { ...key, waitSeconds: null, isCertain: false, values: {} }
  return {
    [`${table.name}: claimed`]: (database) =>
      claimOf(table)(database, { count: 10, perAccount: 10, busy: [] }, ''),
    [`${table.name}: renewed`]: (database) => renewClaims(database, table, [key]),
    [`${table.name}: settled`]: (database) => settleRows(database, table, [settlement]),
  }
}

const statements = {
  ...statementsOf(hookDeliveries),
  ...statementsOf(firings),
  ...statementsOf(batches),
  ...statementsOf(dueMessages),
  ...statementsOf(operations),
  ...statementsOf(polling),
  ...statementsOf(deliveries),
  ...statementsOf(messages),
  ...statementsOf(dueAlerts),
  ...statementsOf(dueJobs),
  ...statementsOf(unusedContents),
  ...statementsOf(dueDocuments),
  ...statementsOf(refreshing),
}

void it('statements.sql shows each statement of work as PostgreSQL gets it', () =>
  checkStatements(
    new URL('../work/statements.sql', import.meta.url),
    'Each statement of the work queue',
    statements,
    { isFree: true, isHeld: false, id: null, next: '' },
  ))
