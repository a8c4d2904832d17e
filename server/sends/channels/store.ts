import { sql } from 'kysely'
import type { Transaction } from '../../db/client.ts'
import { OwnedTable } from '../../db/owned-table.ts'
import type { StateRow } from '../../db/connection-state.ts'
import type { Notification as NotificationShape } from './schema.ts'
import { Notification } from './schema.ts'

/** SQL of channels; `notification-store.ts` has the SQL of their messages. */
export interface ChannelRow extends StateRow {
  id: string
  name: string
  kind: 'email' | 'slack'
  workflow_ids: string[] | null
  recipients: string[]
  slack_channel: string | null
  active: boolean
  has_signing_secret: boolean
  secret: Buffer
  version: string
  created_at: Date
  updated_at: Date
}

export const channels = new OwnedTable<ChannelRow>('channels', [
  'id',
  'name',
  'kind',
  'workflow_ids',
  'recipients',
  'slack_channel',
  'active',
  'has_signing_secret',
  'secret',
  'version',
  'checked_at',
  'failing_since',
  'check_message',
  'created_at',
  'updated_at',
])

export const notifications = new OwnedTable<NotificationShape>(
  'notifications',
  Object.keys(Notification.properties),
)

/**
 * Sets where announcing starts: a channel that is activated does not announce cases that already
 * wait.
 */
export async function beginAnnouncing(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<void> {
  await sql`
    update channels set active_since = now()
    where account_id = ${accountId} and id = ${id}`.execute(transaction)
}
