import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { asBytes, asTime, eachAccount, execute, inScope, run } from '../../db/run.ts'
import { areSendsHeld, isServed } from '../../work/claim.ts'
import type { WorkTable } from '../../work/table.ts'
import { runsWithCase, toolOf, waitingRuns } from '../../engine/reads/cases.ts'
import { storable } from '../../safe-text.ts'
import type { SlackPlace } from './deliver.ts'
import type { ChannelRow } from './store.ts'

/**
 * SQL of messages. A case has one message for each recipient of a channel: its row is unique by
 * content, so that several processes may look for new cases at the same time. Runs know nothing
 * about channels.
 */

/** Cases of a channel that one statement announces. */
const casesAtOnce = 200

/**
 * Writes a message for each waiting case that has none yet in a channel that announces it. Returns
 * how many.
 */
export function announceCases(database: Database): Promise<number> {
  return eachAccount(database, activeChannels, async (scope) => {
    const query = sql`
      insert into notifications
        (account_id, id, channel_id, kind, key, run_id, pending_id, call_id, recipient, is_open)
      select channel.account_id, new_id('ntf'), channel.id, 'case',
             fresh.pending_id || ' ' || recipient, fresh.run_id, fresh.pending_id, fresh.call_id,
             recipient, true
      from channels as channel
      cross join lateral (
        select run.id as run_id, run.case_id as pending_id, run.call_id
        from ${waitingRuns}
        where run.account_id = channel.account_id and run.waiting_since > channel.active_since
          and (channel.workflow_ids is null or run.workflow_id = any (channel.workflow_ids))
          and not exists (
            select from notifications as told
            where told.account_id = channel.account_id and told.channel_id = channel.id
              and told.pending_id = run.case_id and told.kind = 'case')
        order by run.waiting_since, run.id limit ${sql.lit(casesAtOnce)}
      ) as fresh
      cross join lateral unnest(
        case channel.kind when 'email' then channel.recipients else array[channel.slack_channel] end
      ) as recipient
      where channel.active and ${isServed('channel')}${inScope('channel', scope)}
      on conflict do nothing
      returning 1 as one`
    return (await run(database, scope, query)).length
  })
}

const activeChannels = sql`channels where active`

/**
 * Closes the messages of cases that no longer wait: unsent ones are deleted, and those in Slack
 * become due for an update. Returns how many.
 */
export function closeCases(database: Database): Promise<number> {
  return eachAccount(database, sql`notifications where is_open`, async (scope) => {
    const query = sql`
      update notifications as told
      set is_open = false, tries = 0,
          status = case when status = 'pending' and claimed_until is null then 'dropped' else status end,
          next_attempt_at = case when status = 'pending' and claimed_until is not null then next_attempt_at
            when status = 'sent' and place is not null then now() end
      where is_open${inScope('told', scope)} and not exists (
        select from ${runsWithCase}
        where run.account_id = told.account_id and run.id = told.run_id
          and run.case_id = told.pending_id)
      returning 1 as one`
    return (await run(database, scope, query)).length
  })
}

/** The text of an alert, and the console page with details. */
export interface AlertBody {
  title: string
  text: string
  path: string
}

export interface ClaimedNotification {
  accountId: string
  id: string
  kind: 'case' | 'reminder' | 'escalation' | 'assignment' | 'alert'
  key: string
  runId: string | null
  pendingId: string | null
  callId: string | null
  recipient: string
  body: AlertBody | null
  status: 'pending' | 'sent'
  tries: number
  isOpen: boolean
  place: SlackPlace | null
  /** The case's first message in the channel, for replies in its thread. */
  thread: { id: string; place: SlackPlace | null } | null
  channel: ChannelRow
}

const threadOf = sql`(
  select json_build_object('id', first.id, 'place', first.place) from notifications as first
  where first.account_id = claimed.account_id and first.channel_id = claimed.channel_id
    and first.pending_id = claimed.pending_id and first.kind = 'case'
    and first.recipient = claimed.recipient and first.id <> claimed.id limit 1) as thread`

const channelOf = sql`(select row_to_json(channel)) as channel`

/** Converts times and bytes of a row that went through JSON. */
function fromJson(row: ChannelRow): ChannelRow {
  const texts = row as unknown as Record<'secret' | 'created_at' | 'updated_at', string>
  return {
    ...row,
    secret: asBytes(texts.secret),
    created_at: asTime(texts.created_at),
    updated_at: asTime(texts.updated_at),
  }
}

/** Messages as work. */
export const messages: WorkTable<ClaimedNotification> = {
  name: 'notifications',
  isOpen: sql`item.next_attempt_at is not null`,
  dueAt: 'next_attempt_at',
  claimedUntil: 'claimed_until',
  leaseSeconds: 30,
  areHeld: areSendsHeld,
  columns: sql`
    claimed.kind, claimed.key, claimed.run_id as "runId", claimed.pending_id as "pendingId",
    claimed.call_id as "callId", claimed.recipient, claimed.body, claimed.status, claimed.tries,
    claimed.is_open as "isOpen", claimed.place, ${threadOf}, ${channelOf}`,
  joins: sql`
    join channels as channel on channel.account_id = claimed.account_id and channel.id = claimed.channel_id`,
  read: (row) => ({ ...row, channel: fromJson(row.channel) }),
  settled: { columns: {} },
}

/** Seconds before each further attempt; after the last one the message has failed. */
const backoffSeconds = [10, 60, 300, 1_800, 7_200]

/** Records an attempt: what was sent, or when to try again. */
export async function recordTry(
  database: Database,
  {
    accountId,
    id,
    tries,
    channel,
  }: Pick<ClaimedNotification, 'accountId' | 'id' | 'tries' | 'channel'>,
  outcome: { place?: SlackPlace | null; isUpdate: boolean } | { why: string },
): Promise<void> {
  if ('why' in outcome) {
    const delay = backoffSeconds[tries]
    const query = sql`
      update notifications
      set claimed_until = null, tries = tries + 1, error = ${storable(outcome.why).slice(0, 1_000)},
          status = case when status = 'pending' and ${delay === undefined}::boolean then 'failed'
                        when status = 'pending' and not is_open and pending_id is not null then 'dropped'
                        else status end,
          next_attempt_at = case when status = 'pending' and not is_open and pending_id is not null then null
            else now() + ${delay ?? null}::float8 * interval '1 second' end
      where account_id = ${accountId} and id = ${id}`
    await execute(database, accountId, query)
    return
  }
  const { place = null, isUpdate } = outcome
  const query = sql`
    update notifications
    set claimed_until = null, tries = 0, error = null, status = 'sent',
        sent_at = coalesce(sent_at, now()),
        place = coalesce(${place === null ? null : JSON.stringify(place)}::jsonb, place),
        -- Decided while it was being sent: Slack still shows it as waiting.
        next_attempt_at = case
          when not ${isUpdate}::boolean and ${channel.kind === 'slack'}::boolean
            and kind = 'case' and not is_open then now() end
    where account_id = ${accountId} and id = ${id}`
  await execute(database, accountId, query)
}

/** Deletes a message that is no longer needed. */
export async function dropNotification(
  database: Database,
  { accountId, id }: Pick<ClaimedNotification, 'accountId' | 'id'>,
): Promise<void> {
  await sql`
    update notifications
    set claimed_until = null, next_attempt_at = null,
        status = case when status = 'pending' then 'dropped' else status end
    where account_id = ${accountId} and id = ${id}`.execute(database)
}

/** The message that a link belongs to, with its channel. */
export interface Linked {
  id: string
  runId: string
  pendingId: string
  /** Null for a request of the kind `budget`. */
  callId: string | null
  /** The tool of the call; null if there is none, or it no longer exists. */
  tool: string | null
  recipient: string
  kind: ClaimedNotification['kind']
  channel: ChannelRow
}

export async function findLinked(
  database: Database,
  accountId: string,
  id: string,
): Promise<Linked | undefined> {
  const query = sql<Linked>`
    select told.id, told.run_id as "runId", told.pending_id as "pendingId",
           told.call_id as "callId", told.recipient, told.kind, ${toolOf('told', accountId)} as tool, ${channelOf}
    from notifications as told join channels as channel on channel.account_id = ${accountId}
      and channel.id = told.channel_id
    where told.account_id = ${accountId} and told.id = ${id} and told.pending_id is not null`
  const [row] = await run(database, accountId, query)
  return row && { ...row, channel: fromJson(row.channel) }
}

/**
 * Writes an alert for each recipient of these channels, or of all active ones; returns whether
 * there was any.
 */
export async function notifyChannels(
  transaction: Transaction,
  accountId: string,
  channelIds: string[] | null,
  { key, body }: { key: string; body: AlertBody },
): Promise<boolean> {
  const { rows } = await sql`
    insert into notifications (account_id, id, channel_id, kind, key, recipient, body)
    select account_id, new_id('ntf'), id, 'alert', ${key} || ' ' || recipient, recipient,
           ${JSON.stringify(body)}::jsonb
    from channels
    cross join lateral unnest(
      case kind when 'email' then recipients else array[slack_channel] end) as recipient
    where account_id = ${accountId} and active
      and (${channelIds}::text[] is null or id = any (${channelIds}::text[]))
    on conflict do nothing
    returning id`.execute(transaction)
  return rows.length > 0
}
