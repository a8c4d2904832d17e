import { sql } from 'kysely'
import type { Authors } from '../../accounts/authors.ts'
import type { Database, Transaction } from '../../db/client.ts'
import type { StateRow } from '../../db/connection-state.ts'
import { behind, toPage, type Page } from '../../db/keyset.ts'
import type { PageRequest } from '../../http/pagination.ts'
import { OwnedTable } from '../../db/owned-table.ts'
import { eachOf, pageOf } from '../../db/page.ts'
import { asBytes, asTime } from '../../db/run.ts'
import { joinRun, startedRun } from '../../engine/reads/runs.ts'
import type { Attempted } from '../../work/outcome.ts'
import type { WorkTable } from '../../work/table.ts'
import type { ImapServer } from './imap.ts'
import { messageStatuses, type MailboxMessage } from './schema.ts'

/** SQL of mailboxes and of the messages that were seen in them. */
export interface MailboxRow extends StateRow {
  id: string
  name: string
  host: string
  port: number
  username: string
  secure: ImapServer['secure'] | null
  secret: Buffer
  version: string
  folder: string
  workflow_id: string
  senders: string[] | null
  require_authenticated: boolean
  authserv_id: string | null
  subject_contains: string | null
  poll_seconds: number
  active: boolean
  starts_at: Date
  uid_validity: number | null
  last_uid: number
  /** The folder was renumbered and is being read again. */
  rereads: boolean
  authors: Authors | null
  created_at: Date
  updated_at: Date
}

const columns = [
  'id',
  'name',
  'host',
  'port',
  'username',
  'secure',
  'secret',
  'version',
  'folder',
  'workflow_id',
  'senders',
  'require_authenticated',
  'authserv_id',
  'subject_contains',
  'poll_seconds',
  'active',
  'starts_at',
  'uid_validity',
  'last_uid',
  'rereads',
  'authors',
  'checked_at',
  'failing_since',
  'check_message',
  'created_at',
  'updated_at',
] as const

export const mailboxes = new OwnedTable<MailboxRow>('mailboxes', columns)

/** Restarts reading at the current time: earlier messages start no run. */
export async function beginReading(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<MailboxRow> {
  const { rows } = await sql<MailboxRow>`
    update mailboxes
    set starts_at = now(), uid_validity = null, last_uid = 0, rereads = false, next_poll_at = now()
    where account_id = ${accountId} and id = ${id}
    returning ${mailboxes.fields}`.execute(transaction)
  return rows[0] as MailboxRow
}

/** How far a folder has been read. */
export interface Position {
  uidValidity: number
  lastUid: number
}

export type ClaimedMailbox = MailboxRow & { accountId: string }

/**
 * Mailboxes as work: each is due for its next pass. If a claim expires, two processes may read a mailbox; unique rows and
 * reserved ids still give each message one run.
 */
export const polling: WorkTable<ClaimedMailbox> = {
  name: 'mailboxes',
  isOpen: sql`item.active`,
  dueAt: 'next_poll_at',
  claimedUntil: 'claimed_until',
  leaseSeconds: 120,
  columns: sql.join(
    columns.filter((name) => name !== 'id').map((name) => sql.ref(`claimed.${name}`)),
  ),
  cast: {
    secret: asBytes,
    starts_at: asTime,
    created_at: asTime,
    updated_at: asTime,
  },
  settled: { columns: {} },
}

/**
 * Stores the end of a folder when it is opened for the first time. The first writer wins, because a
 * later end would skip messages.
 */
export async function recordStart(
  database: Database,
  box: Pick<ClaimedMailbox, 'accountId' | 'id' | 'version' | 'starts_at'>,
  position: Position,
): Promise<void> {
  await sql`
    update mailboxes set uid_validity = ${position.uidValidity}, last_uid = ${position.lastUid}
    where account_id = ${box.accountId} and id = ${box.id} and version = ${box.version}
      and starts_at = ${box.starts_at} and uid_validity is null`.execute(database)
}

/** Stores how far the folder was read, unless the mailbox was changed meanwhile. */
export async function recordPosition(
  database: Database,
  box: Pick<ClaimedMailbox, 'accountId' | 'id' | 'version' | 'starts_at'>,
  { uidValidity, lastUid, rereads }: Position & { rereads: boolean },
): Promise<void> {
  await sql`
    update mailboxes
    set uid_validity = ${uidValidity}, last_uid = ${lastUid}, rereads = ${rereads}
    where account_id = ${box.accountId} and id = ${box.id} and version = ${box.version}
      and starts_at = ${box.starts_at}`.execute(database)
}

export interface SeenMessage {
  id: string
  status: MailboxMessage['status']
  runId: string
  /** Failed tries so far. */
  tries: number
  /** Null for messages that were stored without one. */
  contentHash: string | null
}

/** Inserts a message, or finds the existing one: a Message-ID has one row in its mailbox. */
export async function putMessage(
  database: Database,
  { accountId, id: mailboxId }: ClaimedMailbox,
  message: {
    id: string
    messageId: string
    uid: number
    sender: string
    subject: string
    runId: string
    receivedAt: Date | null
    contentHash: string | null
    status: 'pending' | 'ignored' | 'failed'
    why: string | null
  },
): Promise<SeenMessage> {
  const { rows } = await sql<SeenMessage>`
    insert into mailbox_messages
      (account_id, id, mailbox_id, message_id, uid, sender, subject, status, why, run_id, received_at, content_hash)
    values (${accountId}, ${message.id}, ${mailboxId}, ${message.messageId}, ${message.uid},
            ${message.sender}, ${message.subject}, ${message.status}, ${message.why},
            ${message.runId}, ${message.receivedAt}, ${message.contentHash})
    on conflict (account_id, mailbox_id, message_id) do update set message_id = excluded.message_id
    returning id, status, run_id as "runId", tries, content_hash as "contentHash"`.execute(database)
  return rows[0] as SeenMessage
}

export async function settleMessage(
  database: Database,
  accountId: string,
  id: string,
  outcome: Attempted<unknown>,
): Promise<void> {
  const status = { done: 'started', refused: 'failed', later: 'pending' }[outcome.kind]
  const why = outcome.kind === 'done' ? null : outcome.why
  await sql`
    update mailbox_messages set status = ${status}, why = ${why}, tries = ${outcome.tries}
    where account_id = ${accountId} and id = ${id} and status = 'pending'`.execute(database)
}

/** Newest first. */
export async function listMessages(
  database: Database,
  accountId: string,
  mailboxId: string,
  {
    limit,
    after,
    status,
  }: PageRequest & {
    limit: number
    status: MailboxMessage['status'] | undefined
  },
): Promise<Page<MailboxMessage>> {
  const page = pageOf({
    table: 'mailbox_messages',
    where: sql`account_id = ${accountId} and mailbox_id = ${mailboxId} and ${behind('created_at', after)}`,
    each: eachOf('status', status, messageStatuses),
    order: sql`created_at desc, id desc`,
    limit: limit + 1,
  })
  const { rows } = await sql<MailboxMessage>`
    select message.id, message.mailbox_id, message.message_id, message.sender, message.subject,
           message.status, message.why, ${startedRun('message', 'started')}, message.received_at,
           message.created_at
    from ${page} as message ${joinRun('message', accountId)}
    order by message.created_at desc, message.id desc`.execute(database)
  return toPage(rows, limit, (row) => row.created_at)
}
