import { whileLocked } from '../accounts/lock.ts'
import { recordAudit } from '../audit/record.ts'
import { checkChannel } from '../channels/channels.ts'
import type { Context } from '../context.ts'
import { notFound, tooMany } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { checkWorkflow } from '../workflows/workflows.ts'
import type { Alert, CreateAlert, UpdateAlert } from './schema.ts'
import { alerts, beginTelling } from './store.ts'

/** Alerts of an account; `tell.ts` looks whether there is something to tell. */
const maxPerAccount = 50
const defaultPauseMinutes = 60

export async function createAlert(ctx: Context, id: string, input: CreateAlert): Promise<Alert> {
  await checkNames(ctx, input, undefined)
  return whileLocked(ctx, async (transaction) => {
    const row = { id, at_most_every_minutes: defaultPauseMinutes, ...input }
    const after = await alerts.insert(transaction, ctx.accountId, row, maxPerAccount)
    if (after === undefined) throw tooMany(ctx, 'too_many_alerts', maxPerAccount, 'alerts')
    await recordAudit(transaction, ctx, { objectId: id, after })
    return after
  })
}

export function listAlerts(
  ctx: Context,
  { limit = maxPerAccount, after }: PageRequest,
): Promise<Page<Alert>> {
  return alerts.list(ctx.reads, ctx.accountId, { limit, after })
}

export async function retrieveAlert(ctx: Context, id: string): Promise<Alert> {
  const alert = await alerts.find(ctx.database, ctx.accountId, { id })
  if (alert === undefined) throw notFound(ctx, 'alert', id)
  return alert
}

/** One that is made active again tells what happens from then on. */
export async function updateAlert(ctx: Context, id: string, input: UpdateAlert): Promise<Alert> {
  await checkNames(ctx, input, await retrieveAlert(ctx, id))
  return ctx.database.transaction().execute(async (transaction) => {
    const before = await alerts.find(transaction, ctx.accountId, { id }, 'for no key update')
    if (before === undefined) throw notFound(ctx, 'alert', id)
    if (input.active === true && !before.active) await beginTelling(transaction, ctx.accountId, id)
    const after = await alerts.update(transaction, ctx.accountId, id, input)
    await recordAudit(transaction, ctx, { objectId: id, before, after })
    return after
  })
}

export async function deleteAlert(ctx: Context, id: string): Promise<void> {
  await ctx.database.transaction().execute(async (transaction) => {
    const before = await alerts.delete(transaction, ctx.accountId, { id })
    if (before === undefined) throw notFound(ctx, 'alert', id)
    await recordAudit(transaction, ctx, { objectId: id, before })
  })
}

/** What was named before may stay, though it is gone: what was read can be sent back. */
async function checkNames(
  ctx: Context,
  { workflow_ids: workflowIds, channel_ids: channelIds }: UpdateAlert,
  before: Alert | undefined,
): Promise<void> {
  for (const [index, id] of (workflowIds ?? []).entries()) {
    const isNew = before?.workflow_ids?.includes(id) !== true
    if (isNew) await checkWorkflow(ctx, id, `workflow_ids[${index}]`)
  }
  for (const [index, id] of (channelIds ?? []).entries()) {
    const isNew = before?.channel_ids?.includes(id) !== true
    if (isNew) await checkChannel(ctx, id, `channel_ids[${index}]`)
  }
}
