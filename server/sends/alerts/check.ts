import { createHash } from 'node:crypto'
import { notifyChannels, type AlertBody } from '../channels/notifications.ts'
import type { Services } from '../../context.ts'
import type { Transaction } from '../../db/client.ts'
import { countEndedSince, findFailedSince, findWaitingLong } from '../../engine/reads/trouble.ts'
import * as causes from './causes-store.ts'
import { lockAlert, recordFired, type DueAlert } from './store.ts'
import type { WorkItem } from '../../work/table.ts'
import { visibleText } from '../../safe-text.ts'
import type { Cause } from './causes-store.ts'

type AlertServices = Pick<Services, 'database' | 'accountModels'>

/** Writes the messages of an alert that has causes, and begins its pause, in one transaction. */
export async function checkAlert(
  { database, accountModels }: AlertServices,
  { accountId, id }: Pick<WorkItem, 'accountId' | 'id'>,
): Promise<void> {
  const models = await accountModels.of(accountId)
  await database.transaction().execute(async (transaction) => {
    const alert = await lockAlert(transaction, accountId, id)
    if (alert === undefined) return
    const found = await findBody(transaction, accountId, alert, models)
    if (found === undefined) return
    const { key = `alert ${id} ${alert.at.toISOString()}`, ...body } = found
    const message = { key, body }
    if (await notifyChannels(transaction, accountId, alert.channel_ids, message)) {
      await recordFired(transaction, accountId, id)
    }
  })
}

type Found = (AlertBody & { key?: string }) | undefined

async function findBody(
  transaction: Transaction,
  accountId: string,
  alert: DueAlert,
  models: Awaited<ReturnType<AlertServices['accountModels']['of']>>,
): Promise<Found> {
  const { told_until: since, workflow_ids: workflowIds, at } = alert
  const { minutes, threshold } = { ...alert, ...defaultsOf(alert) }
  const which = { since, workflowIds }
  switch (alert.on) {
    case 'run.failed': {
      const runs = await findFailedSince(transaction, accountId, which)
      const path = runs.length === 1 ? `/runs/${runs[0]?.runId}` : '/runs?status=failed'
      return listCauses(runs.map(toCause), ['run failed', 'runs failed'], path)
    }
    case 'failure_rate': {
      const start = new Date(Math.max(since.getTime(), at.getTime() - minutes * 60_000))
      const { ended, failed } = await countEndedSince(transaction, accountId, {
        since: start,
        workflowIds,
      })
      if (ended < leastEnded || failed / ended < threshold) return undefined
      const title = `${Math.round((100 * failed) / ended)} % of runs failed`
      const text = `${failed} of the ${ended} runs that ended in the last ${minutes} minutes failed.`
      return { title, text, path: '/runs?status=failed' }
    }
    case 'waiting_too_long': {
      const runs = await findWaitingLong(transaction, accountId, { ...which, minutes })
      const longer = `longer than ${minutes} minutes`
      const titles: Titles = [`request waits ${longer}`, `requests wait ${longer}`]
      return listCauses(runs.map(toCause), titles, '/inbox')
    }
    case 'schedule.missed': {
      const found = await causes.findMissedFirings(transaction, accountId, which)
      const titles: Titles = ['moment of a schedule was missed', 'moments of schedules were missed']
      return listCauses(found, titles, '/schedules')
    }
    case 'webhook.disabled': {
      const found = await causes.findDisabledWebhooks(transaction, accountId, which)
      const titles: Titles = ['webhook endpoint was disabled', 'webhook endpoints were disabled']
      return listCauses(found, titles, '/webhooks')
    }
    case 'connector.failing': {
      const found = await causes.findFailingConnections(transaction, accountId, which)
      return listCauses(found, ['connection fails', 'connections fail'], '/connectors')
    }
    case 'budget.threshold': {
      const found = await causes.findReachedBudgets(transaction, accountId)
      const titles: Titles = ['budget has reached a threshold', 'budgets have reached a threshold']
      // Sent once for each level of a window.
      const parts = found.map((one) => one.key)
      return withKey(listCauses(found, titles, '/budgets'), alert, parts)
    }
    case 'model.ending': {
      const named = await causes.listNamedModels(transaction, accountId)
      const warnings = models.warningsOf(named).filter(({ code }) => code === 'model_ends')
      const found = warnings.map(({ message }) => ({ name: message, why: null }))
      const titles: Titles = ['model in use ends', 'models in use end']
      // Sent once for the same models.
      const parts = found.map(({ name }) => name)
      return withKey(listCauses(found, titles, '/workflows'), alert, parts)
    }
  }
}

/** With a key that is equal for equal causes; hashed, because there may be many. */
function withKey(found: Found, { id }: DueAlert, parts: string[]): Found {
  const digest = createHash('sha256').update(JSON.stringify(parts.sort())).digest('hex')
  return found && { ...found, key: `alert ${id} ${digest}` }
}

const leastEnded = 5

function defaultsOf({ minutes, threshold }: DueAlert): { minutes: number; threshold: number } {
  return { minutes: minutes ?? 60, threshold: threshold ?? 0.5 }
}

function toCause({ workflowName, error }: { workflowName: string; error: string | null }) {
  return { name: workflowName, why: error }
}

/** Causes that a message lists. */
const shown = 5

/** What follows the number of causes in a title: of one, of several. */
type Titles = [one: string, many: string]

/** The number of causes as the title, and the first of them as lines; undefined if there are none. */
function listCauses(found: Cause[], [one, many]: Titles, path: string): Found {
  if (found.length === 0) return undefined
  const lines = found.slice(0, shown).map(({ name, why }) => {
    const words = why === null ? name : `${name}: ${why}`
    return visibleText(words).replaceAll(/\s+/g, ' ').slice(0, 400)
  })
  const more = found.length - lines.length
  if (more > 0) lines.push(`and ${more} more`)
  const title = `${found.length} ${found.length === 1 ? one : many}`
  return { title, text: lines.join('\n'), path }
}
