import type { FetchMessageObject, ImapFlow } from 'imapflow'
import { peopleOf } from '../../accounts/authors.ts'
import type { Services } from '../../context.ts'
import { newId } from '../../ids.ts'
import { startRun } from '../../runs/start.ts'
import { defineTask } from '../../sandbox/sandbox.ts'
import { TaskEnded } from '../../sandbox/thread.ts'
import { attempt, outcomeOf, type Attempted, type Later } from '../../work/outcome.ts'
import { storeAttachments } from './attachments.ts'
import { maxMessageBytes } from './imap.ts'
import type { MailFilter } from './read-message.ts'
import type { Mail, UnreadMail } from './read-source.ts'
import type * as tasks from './read-source.ts'
import { putMessage, settleMessage, type ClaimedMailbox, type SeenMessage } from './store.ts'

const flags = ['\\Seen', '$Muster']

/**
 * A message is stored first, unique by its Message-ID in the mailbox, with a reserved run id; then its run is triggered;
 * then the message is flagged on the mail server. Settles it, or returns why it waits.
 */
export async function takeMessage(
  services: Services,
  box: ClaimedMailbox,
  client: ImapFlow,
  { uidValidity, uid }: { uidValidity: number; uid: number },
  { own, after }: { own: string[]; after: Date | null },
): Promise<Later | undefined> {
  const fields = { uid: true, size: true, internalDate: true } as const
  const head = await client.fetchOne(String(uid), fields, { uid: true })
  // The message was deleted meanwhile.
  if (head === false) return undefined
  const receivedAt = dateOf(head)
  if (after !== null && receivedAt !== null && receivedAt < after) return undefined
  const seen = { uid, receivedAt }
  if ((head.size ?? 0) > maxMessageBytes) {
    const messageId = `<uid ${uid} of ${uidValidity}>`
    await put(services, box, { ...seen, messageId, failure: 'It is larger than 40 MB' })
    return undefined
  }
  using _slot = await services.limits.mailboxMessages.take(box.accountId, 'read the message')
  const body = await client.fetchOne(String(uid), { uid: true, source: true }, { uid: true })
  if (body === false || body.source === undefined) return undefined
  const mail = await readSource(services, box, body.source, own, `<uid ${uid} of ${uidValidity}>`)
  if (mail.kind === 'later') return mail
  if (mail.kind === 'unread') {
    const { messageId, why } = mail
    await put(services, box, { ...seen, messageId, failure: `It cannot be read: ${why}` })
    return undefined
  }
  const isOlder = isBefore(mail.data.date, after)
  const ignored = mail.ignored ?? (isOlder ? 'It was sent before the mailbox was added' : null)
  const { messageId, sender, subject, contentHash } = mail
  const message = { ...seen, messageId, sender, subject, ignored, contentHash }
  const stored = await put(services, box, message)
  if (stored.contentHash !== null && stored.contentHash !== contentHash) {
    await put(services, box, {
      ...message,
      messageId: `${messageId} ${contentHash.slice(0, 12)}`,
      ignored: `It has the same Message-ID as ${stored.id}, and another content`,
    })
    return undefined
  }
  if (stored.status === 'pending') {
    const outcome = await start(services, box, stored, mail)
    if (outcome.kind === 'later') return outcome
  }
  if (ignored === null) {
    // A read-only folder rejects flags, but can be read anyway.
    await client.messageFlagsAdd(String(uid), flags, { uid: true }).catch(() => undefined)
  }
  return undefined
}

/** `ignored` or `failure`: why the message starts no run. */
function put(
  services: Services,
  box: ClaimedMailbox,
  {
    ignored = null,
    failure = null,
    messageId,
    sender = '',
    subject = '',
    contentHash = null,
    ...seen
  }: {
    uid: number
    receivedAt: Date | null
    messageId: string
    sender?: string
    subject?: string
    contentHash?: string | null
    ignored?: string | null
    failure?: string | null
  },
): Promise<SeenMessage> {
  const status = failure !== null ? 'failed' : ignored === null ? 'pending' : 'ignored'
  const ids = { id: newId('mbm'), runId: newId('run') }
  const why = failure ?? ignored
  const { uid, receivedAt } = seen
  const about = { messageId, sender, subject, contentHash }
  const message = { ...ids, uid, receivedAt, ...about, status, why } as const
  return putMessage(services.database, box, message)
}

/** Starts the run of a message, and stores the outcome with it. */
async function start(
  services: Services,
  box: ClaimedMailbox,
  { id, runId, tries }: SeenMessage,
  mail: Mail,
): Promise<Attempted<unknown>> {
  const { database, log } = services
  const trying = { log, tries, what: 'starting a run of a message', facts: { messageId: id } }
  const outcome = await attempt(trying, async () => {
    const { files, skipped } = await storeAttachments(services, box, runId, mail)
    const { data } = mail
    const given = skipped.length === 0 ? data : { ...data, attachments_skipped: skipped }
    const by = { id: box.id, name: box.name }
    const onBehalfOf = peopleOf(box.authors)
    const cause = { accountId: box.accountId, by, onBehalfOf, runId }
    const body = { data: { ...given }, files }
    return startRun(services, cause, { workflowId: box.workflow_id, body })
  })
  await settleMessage(database, box.accountId, id, outcome)
  return outcome
}

const readInThread = defineTask<typeof tasks.readSource>({
  line: 'long',
  from: import.meta.url,
  file: './read-source',
  name: 'readSource',
  maxMs: 10_000,
  maxMb: 180,
})

/** Reads a message. A fault of the message is final; one of the service is not. */
async function readSource(
  { sandbox }: Services,
  { accountId, ...box }: ClaimedMailbox,
  source: Buffer,
  own: string[],
  messageId: string,
): Promise<Mail | UnreadMail | Later> {
  const { senders, require_authenticated, authserv_id, subject_contains } = box
  const filter: MailFilter = { senders, require_authenticated, authserv_id, subject_contains, own }
  // A buffer of its own moves to the thread without a copy.
  const isOwn = source.byteLength === source.buffer.byteLength
  const bytes = isOwn ? new Uint8Array(source.buffer as ArrayBuffer) : new Uint8Array(source)
  try {
    const caller = { accountId, action: 'read the message', sandbox, transfer: [bytes.buffer] }
    return await readInThread(caller, { source: bytes, filter })
  } catch (error) {
    if (error instanceof TaskEnded) return { kind: 'unread', messageId, why: error.message }
    const outcome = outcomeOf(error)
    if (outcome?.kind === 'later') return outcome
    throw error
  }
}

/** Whether a message says that it was sent before a time. */
function isBefore(date: string | null, time: Date | null): boolean {
  return date !== null && time !== null && new Date(date) < time
}

function dateOf({ internalDate }: FetchMessageObject): Date | null {
  if (internalDate === undefined) return null
  const date = new Date(internalDate)
  return Number.isNaN(date.getTime()) ? null : date
}
