import { OwnedResource } from '../../accounts/owned-resource.ts'
import { checkChannel } from '../channels/channels.ts'
import type { Context } from '../../context.ts'
import type { Page, PageRequest } from '../../http/pagination.ts'
import { checkWorkflow } from '../../workflows/workflows.ts'
import type { Alert, CreateAlert, UpdateAlert } from './schema.ts'
import { alerts, beginWatching } from './store.ts'

/**
 * Alerts of an account: each watches for a cause, such as failed runs or a reached budget, and
 * notifies channels. This file has the operations; `check.ts` looks for causes in the background
 * and sends one message for all of them, then pauses the alert. An alert is active or not. It
 * changes no run.
 */
const owned = new OwnedResource(alerts, {
  noun: 'alert',
  plural: 'alerts',
  max: 50,
  tooMany: 'too_many_alerts',
})
const defaultPauseMinutes = 60

export async function createAlert(ctx: Context, id: string, input: CreateAlert): Promise<Alert> {
  await checkNames(ctx, input, undefined)
  return owned.create(ctx, { id, at_most_every_minutes: defaultPauseMinutes, ...input })
}

export function listAlerts(ctx: Context, page: PageRequest): Promise<Page<Alert>> {
  return owned.list(ctx, page)
}

export function retrieveAlert(ctx: Context, id: string): Promise<Alert> {
  return owned.find(ctx, id)
}

/** A reactivated alert is sent for causes from now on. */
export async function updateAlert(ctx: Context, id: string, input: UpdateAlert): Promise<Alert> {
  await checkNames(ctx, input, await owned.find(ctx, id))
  return owned.update(ctx, id, async (before, transaction) => {
    if (input.active === true && !before.active) await beginWatching(transaction, ctx.accountId, id)
    return input
  })
}

export function deleteAlert(ctx: Context, id: string): Promise<void> {
  return owned.delete(ctx, id)
}

/**
 * Throws for unknown ids. Ids that the alert already had may stay although they no longer exist, so
 * that it can be sent back as it was read.
 */
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
