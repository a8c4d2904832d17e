import type { Context } from '../../context.ts'
import { eachOf } from '../../db/page.ts'
import type { Page, PageRequest } from '../../http/pagination.ts'
import { notifyAssignee } from './escalation-store.ts'
import { notifyChannels, type AlertBody } from './notification-store.ts'
import { notificationStatuses, type Notification } from './schema.ts'
import { notifications } from './store.ts'

export { notifyAssignee, notifyChannels, type AlertBody }

/** Newest first, 50 by default. */
export function listNotifications(
  ctx: Context,
  { limit = 50, after }: PageRequest,
  {
    status,
    ...where
  }: {
    [Name in 'channel_id' | 'run_id' | 'pending_id' | 'status']?: Notification[Name] | undefined
  },
): Promise<Page<Notification>> {
  const each = eachOf('status', status, notificationStatuses)
  return notifications.list(ctx.reads, ctx.accountId, { limit, after }, where, each)
}
