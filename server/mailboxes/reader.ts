import type { FetchMessageObject, ImapFlow } from 'imapflow'
import { peopleOf } from '../accounts/authors.ts'
import { backgroundContext } from '../accounts/background-context.ts'
import { findCallContext } from '../connectors/call-context.ts'
import { toMailbox } from '../connectors/email-address.ts'
import { hideSecrets } from '../connectors/secret.ts'
import type { Services } from '../context.ts'
import { noteUse, type Finding } from '../db/connection-state.ts'
import { logFailure } from '../db/outage.ts'
import { normalizeEmail } from '../email-text.ts'
import { DomainError } from '../errors.ts'
import { retrieveFile } from '../files/files.ts'
import { storeContent } from '../files/stored-content.ts'
import { uploadFile } from '../files/upload.ts'
import { derivedId, newId } from '../ids.ts'
import { InFlight, loop, type Loop } from '../loop.ts'
import { startRun } from '../runs/start.ts'
import { defineTask } from '../sandbox/sandbox.ts'
import { TaskEnded } from '../sandbox/thread.ts'
import { refusal, Slots } from '../slots.ts'
import { attempt, outcomeOf, reasonOf, type Attempted, type Later } from '../work/outcome.ts'
import { endOf, ImapError, maxMessageBytes, withImap } from './imap.ts'
import type { MailFilter } from './read-message.ts'
import { maxAttachments, type Mail, type UnreadMail } from './read-source.ts'
import type * as tasks from './read-source.ts'
import { serverOf } from './secret.ts'
import {
  claimMailboxes,
  putMessage,
  recordPosition,
  recordStart,
  releaseMailbox,
  settleMessage,
  type ClaimedMailbox,
  type SeenMessage,
} from './store.ts'

/**
 * Reads mailboxes: a loop in each worker claims due mailboxes and reads new messages, oldest first.
 * A message is stored first, unique by its Message-ID in the mailbox, with a reserved run id; then
 * its run is triggered; then the message is flagged on the mail server. Nothing is ever deleted
 * there. If UIDVALIDITY changes, the folder is read again: until all of it was read, messages from
 * before the mailbox was created start no run, and known messages never start a second one. A
 * message that cannot be read or started is failed with the reason, and the next one is read; any
 * other error makes the mailbox failing.
 */
const maxAtOnce = 10
/** Limit of messages for one pass; the next pass follows at once. */
const perPass = 50
const dayMs = 86_400_000
/** How much the mail server's clock may be behind. */
const skewMs = 300_000
/** Longest time in seconds until a message that waits is tried again. */
const maxPause = 60
const flags = ['\\Seen', '$Muster']

export class MailboxReader implements AsyncDisposable {
  readonly #services: Services
  readonly #loop: Loop
  readonly #inFlight = new InFlight<ClaimedMailbox>(maxAtOnce, () => this.#loop.wake())

  constructor(services: Services, everyMs: number) {
    this.#services = services
    this.#loop = loop({
      everyMs,
      minGapMs: 20,
      tick: () => this.tick(),
      onError: (error) => logFailure(services.log, error, 'reading mailboxes failed'),
    })
  }

  /**
   * Claims no further mailbox and waits for those in progress, each of which stops after its
   * current message.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.stop()
    await this.#inFlight.drain()
  }

  async tick(): Promise<void> {
    const { free } = this.#inFlight
    if (free <= 0) return
    for (const box of await claimMailboxes(this.#services.database, free)) {
      this.#inFlight.add(box, this.#look(box))
    }
  }

  async #look(box: ClaimedMailbox): Promise<void> {
    const { database, secrets, outbound, log } = this.#services
    let pauseSeconds = box.poll_seconds
    let finding: Finding | undefined = { ok: true, message: 'It was read' }
    try {
      const server = serverOf(secrets, box.account_id, box)
      try {
        pauseSeconds = await withImap(outbound, server, (client) => this.#readFolder(box, client))
      } catch (error) {
        if (error instanceof ImapError) {
          const message = hideSecrets(error.message, { password: server.password })
          finding = { ok: false, message }
        } else {
          // A shortage of this service says nothing about the mailbox.
          const outcome = outcomeOf(error)
          if (outcome?.kind !== 'later') throw error
          logFailure(log, error, 'a mailbox was not read', { mailboxId: box.id })
          finding = undefined
          pauseSeconds = outcome.seconds
        }
      }
    } catch (error) {
      logFailure(log, error, 'a mailbox was not read', { mailboxId: box.id })
      const message = outcomeOf(error)?.why ?? `Reading stopped: ${reasonOf(error)}`
      finding = { ok: false, message }
    }
    if (finding !== undefined) {
      await noteUse(this.#services, 'mailboxes', box.account_id, box, finding)
    }
    await releaseMailbox(database, box, pauseSeconds).catch((error: unknown) => {
      // The claim expires with its lease.
      logFailure(log, error, 'a mailbox was not released', { mailboxId: box.id })
    })
  }

  /** Returns the seconds to the next pass. */
  async #readFolder(box: ClaimedMailbox, client: ImapFlow): Promise<number> {
    const end = endOf(await client.mailboxOpen(box.folder))
    const { database } = this.#services
    if (box.uid_validity === null) {
      // Messages that exist when the folder is first opened start no run.
      await recordStart(database, box, end)
      return box.poll_seconds
    }
    const { uidValidity } = end
    const isRenumbered = box.uid_validity !== uidValidity
    const rereads = isRenumbered || box.rereads
    const lastUid = isRenumbered ? 0 : box.last_uid
    const since = new Date(box.starts_at.getTime() - dayMs)
    const query = { uid: `${lastUid + 1}:*`, ...(rereads && { since }) }
    const found = (await client.search(query, { uid: true })) || []
    // A range that ends in * always includes the last message, even if its number is lower.
    const uids = found.filter((uid) => uid > lastUid).sort((a, b) => a - b)
    const own = uids.length === 0 ? [] : await this.#ownAddresses(box)
    const after = rereads ? new Date(box.starts_at.getTime() - skewMs) : null
    for (const uid of uids.slice(0, perPass)) {
      if (this.#loop.signal.aborted) return 0
      const later = await this.#take(box, client, { uidValidity, uid }, { own, after })
      // The next pass starts with this message, so that messages keep their order.
      if (later !== undefined) return Math.max(later.seconds, Math.min(box.poll_seconds, maxPause))
      await recordPosition(database, box, { uidValidity, lastUid: uid, rereads })
    }
    if (uids.length > perPass) return 0
    if (rereads) await recordPosition(database, box, { ...end, rereads: false })
    return box.poll_seconds
  }

  /** Senders whose messages would loop: the mailbox itself, and the sender of `email.send`. */
  async #ownAddresses(box: ClaimedMailbox): Promise<string[]> {
    const email = await findCallContext(this.#services, box.account_id, 'email')
    const from = email?.credentials['from']
    const sender = typeof from === 'string' ? [toMailbox(from).address] : []
    return [box.username, ...sender].map(normalizeEmail)
  }

  /** Settles a message, or returns why it waits. */
  async #take(
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
      await this.#put(box, { ...seen, messageId, failure: 'It is larger than 40 MB' })
      return undefined
    }
    using _slot = await messageSlots.take(box.account_id, 'read the message')
    const body = await client.fetchOne(String(uid), { uid: true, source: true }, { uid: true })
    if (body === false || body.source === undefined) return undefined
    const mail = await readSource(box, body.source, own, `<uid ${uid} of ${uidValidity}>`)
    if (mail.kind === 'later') return mail
    if (mail.kind === 'unread') {
      const { messageId, why } = mail
      await this.#put(box, { ...seen, messageId, failure: `It cannot be read: ${why}` })
      return undefined
    }
    const isOlder = isBefore(mail.data.date, after)
    const ignored = mail.ignored ?? (isOlder ? 'It was sent before the mailbox was added' : null)
    const { messageId, sender, subject, contentHash } = mail
    const message = { ...seen, messageId, sender, subject, ignored, contentHash }
    const stored = await this.#put(box, message)
    if (stored.contentHash !== null && stored.contentHash !== contentHash) {
      await this.#put(box, {
        ...message,
        messageId: `${messageId} ${contentHash.slice(0, 12)}`,
        ignored: `It has the same Message-ID as ${stored.id}, and another content`,
      })
      return undefined
    }
    if (stored.status === 'pending') {
      const outcome = await this.#start(box, stored, mail)
      if (outcome.kind === 'later') return outcome
    }
    if (ignored === null) {
      // A read-only folder rejects flags, but can be read anyway.
      await client.messageFlagsAdd(String(uid), flags, { uid: true }).catch(() => undefined)
    }
    return undefined
  }

  /** `ignored` or `failure`: why the message starts no run. */
  #put(
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
    return putMessage(this.#services.database, box, message)
  }

  /** Starts the run of a message, and stores the outcome with it. */
  async #start(
    box: ClaimedMailbox,
    { id, runId, tries }: SeenMessage,
    mail: Mail,
  ): Promise<Attempted<unknown>> {
    const { database, log } = this.#services
    const trying = { log, tries, what: 'starting a run of a message', facts: { messageId: id } }
    const outcome = await attempt(trying, async () => {
      const { files, skipped } = await this.#storeAttachments(box, runId, mail)
      const { data } = mail
      const given = skipped.length === 0 ? data : { ...data, attachments_skipped: skipped }
      const by = { id: box.id, name: box.name }
      const onBehalfOf = peopleOf(box.authors)
      const cause = { accountId: box.account_id, by, onBehalfOf, runId }
      const body = { data: { ...given }, files }
      return startRun(this.#services, cause, { workflowId: box.workflow_id, body })
    })
    await settleMessage(database, box.account_id, id, outcome)
    return outcome
  }

  /**
   * Stores attachments as files of the account. A rejected one is listed in `skipped` with the
   * reason.
   */
  async #storeAttachments(
    box: ClaimedMailbox,
    runId: string,
    { attachments, hasMoreAttachments }: Mail,
  ): Promise<{ files: string[]; skipped: string[] }> {
    const files: string[] = []
    const skipped: string[] = []
    for (const [index, { name, bytes }] of attachments.entries()) {
      const fileId = derivedId('file', runId, index)
      const action = 'store attachment'
      const ctx = await backgroundContext(this.#services, box.account_id, {
        cause: { id: box.id, name: box.name },
        action,
        audit: 'file.uploaded',
        reservedId: fileId,
      })
      try {
        await retrieveFile(ctx, fileId).catch(async (error: unknown) => {
          if (!(error instanceof DomainError) || error.code !== 'not_found') throw error
          const where = { accountId: box.account_id, action, name }
          const stored = await storeContent(this.#services, where, piecesOf(bytes))
          await uploadFile(ctx, fileId, stored)
        })
        files.push(fileId)
      } catch (error) {
        if (outcomeOf(error)?.kind !== 'refused') throw error
        skipped.push(`${name}: ${(error as Error).message}`.slice(0, 300))
      }
    }
    if (hasMoreAttachments) skipped.push(`more than ${maxAttachments} attachments`)
    return { files, skipped: cutAll(skipped) }
  }
}

const maxSkippedBytes = 6_000

/** The first texts that have at most so many bytes together, so that the run's data stays within its limit. */
function cutAll(texts: string[]): string[] {
  let left = maxSkippedBytes
  return texts.filter((text) => (left -= Buffer.byteLength(JSON.stringify(text))) >= 0)
}

/** Messages in memory, with their attachments, until their run has started. */
const messageSlots = new Slots(
  { active: 4, activePerAccount: 2, waiting: 20, waitingPerAccount: 20, waitMs: 120_000 },
  refusal('too_busy', 'too many messages are being read, try again later', 5),
)

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
  { account_id: accountId, ...box }: ClaimedMailbox,
  source: Buffer,
  own: string[],
  messageId: string,
): Promise<Mail | UnreadMail | Later> {
  const { senders, require_authenticated, authserv_id, subject_contains } = box
  const filter: MailFilter = { senders, require_authenticated, authserv_id, subject_contains, own }
  const bytes = new Uint8Array(source)
  try {
    const caller = { accountId, action: 'read the message', transfer: [bytes.buffer] }
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

const pieceBytes = 256 * 1024

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at === 0 || at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes)
  }
}

function dateOf({ internalDate }: FetchMessageObject): Date | null {
  if (internalDate === undefined) return null
  const date = new Date(internalDate)
  return Number.isNaN(date.getTime()) ? null : date
}
