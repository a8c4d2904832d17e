import type { FetchMessageObject, ImapFlow } from 'imapflow'
import PostalMime, { type Email } from 'postal-mime'
import { backgroundContext } from '../accounts/background-context.ts'
import { findCallContext } from '../connectors/call-context.ts'
import { toMailbox } from '../connectors/email-address.ts'
import { hideSecrets } from '../connectors/secret.ts'
import type { Services } from '../context.ts'
import { noteUse } from '../db/connection-state.ts'
import { logFailure } from '../db/outage.ts'
import { normalizeEmail } from '../email-text.ts'
import { DomainError } from '../errors.ts'
import { retrieveFile } from '../files/files.ts'
import { fileName } from '../files/name.ts'
import { storeContent } from '../files/stored-content.ts'
import { uploadFile } from '../files/upload.ts'
import { derivedId, newId } from '../ids.ts'
import { InFlight, loop, type Loop } from '../loop.ts'
import { isHeldBack, triggerRun } from '../runs/trigger.ts'
import { endOf, ImapError, maxMessageBytes, withImap } from './imap.ts'
import { readMessage, whyIgnored } from './read-message.ts'
import { serverOf } from './secret.ts'
import {
  claimMailboxes,
  putMessage,
  recordPosition,
  recordStart,
  releaseMailbox,
  settleMessage,
  type ClaimedMailbox,
} from './store.ts'

/**
 * Reads mailboxes: a loop in each worker claims due mailboxes and reads new messages, oldest first.
 * A message is stored first, unique by its Message-ID in the mailbox, with a reserved run id; then
 * its run is triggered; then the message is flagged on the mail server. Nothing is ever deleted
 * there. If UIDVALIDITY changes, the folder is read again from the time at which the mailbox was
 * created, and known messages start no second run.
 */
const maxAtOnce = 10
/** Limit of messages for one pass; the next pass follows at once. */
const perPass = 50
const maxAttachments = 20
const dayMs = 86_400_000
/** How much the mail server's clock may be behind. */
const skewMs = 300_000
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
    let hasMore = false
    try {
      const server = serverOf(secrets, box.account_id, box)
      try {
        hasMore = await withImap(outbound, server, (client) => this.#readFolder(box, client))
        await noteUse(this.#services, 'mailboxes', box.account_id, box, {
          ok: true,
          message: 'It was read',
        })
      } catch (error) {
        if (!(error instanceof ImapError)) throw error
        const message = hideSecrets(error.message, { password: server.password })
        await noteUse(this.#services, 'mailboxes', box.account_id, box, { ok: false, message })
      }
    } catch (error) {
      logFailure(log, error, 'a mailbox was not read', { mailboxId: box.id })
    }
    await releaseMailbox(database, box, hasMore).catch((error: unknown) => {
      // The claim expires with its lease.
      logFailure(log, error, 'a mailbox was not released', { mailboxId: box.id })
    })
  }

  /** Returns true if more messages are waiting. */
  async #readFolder(box: ClaimedMailbox, client: ImapFlow): Promise<boolean> {
    const end = endOf(await client.mailboxOpen(box.folder))
    const { database } = this.#services
    if (box.uid_validity === null) {
      // Messages that exist when the folder is first opened start no run.
      await recordStart(database, box, end)
      return false
    }
    const { uidValidity } = end
    const isRenumbered = box.uid_validity !== uidValidity
    const lastUid = isRenumbered ? 0 : box.last_uid
    const query = isRenumbered
      ? { since: new Date(box.starts_at.getTime() - dayMs) }
      : { uid: `${lastUid + 1}:*` }
    const found = (await client.search(query, { uid: true })) || []
    // A range that ends in * always includes the last message, even if its number is lower.
    const uids = found.filter((uid) => uid > lastUid).sort((a, b) => a - b)
    const own = uids.length === 0 ? [] : await this.#ownAddresses(box)
    if (isRenumbered && uids.length === 0) await recordPosition(database, box, end)
    const after = isRenumbered ? new Date(box.starts_at.getTime() - skewMs) : null
    for (const uid of uids.slice(0, perPass)) {
      if (this.#loop.signal.aborted) return true
      const isTaken = await this.#take(box, client, uid, { own, after })
      // The next pass starts with this message, so that messages keep their order.
      if (!isTaken) return false
      await recordPosition(database, box, { uidValidity, lastUid: uid })
    }
    return uids.length > perPass
  }

  /** Senders whose messages would loop: the mailbox itself, and the sender of `email.send`. */
  async #ownAddresses(box: ClaimedMailbox): Promise<string[]> {
    const email = await findCallContext(this.#services, box.account_id, 'email')
    const from = email?.credentials['from']
    const sender = typeof from === 'string' ? [toMailbox(from).address] : []
    return [box.username, ...sender].map(normalizeEmail)
  }

  /** Returns false if the message's run cannot start for now. */
  async #take(
    box: ClaimedMailbox,
    client: ImapFlow,
    uid: number,
    { own, after }: { own: string[]; after: Date | null },
  ): Promise<boolean> {
    const fields = { uid: true, size: true, internalDate: true } as const
    const head = await client.fetchOne(String(uid), fields, { uid: true })
    // The message was deleted meanwhile.
    if (head === false) return true
    const receivedAt = dateOf(head)
    if (after !== null && receivedAt !== null && receivedAt < after) return true
    if ((head.size ?? 0) > maxMessageBytes) {
      await this.#put(
        box,
        { messageId: `<uid ${uid}>`, sender: '', subject: '' },
        uid,
        receivedAt,
        'It is larger than 40 MB',
      )
      return true
    }
    const body = await client.fetchOne(String(uid), { uid: true, source: true }, { uid: true })
    if (body === false || body.source === undefined) return true
    const mail = await PostalMime.parse(body.source, { maxNestingDepth: 50 })
    const names = mail.attachments.map(({ filename }) => fileName(filename ?? 'attachment'))
    const message = readMessage(mail, body.source, names.slice(0, maxAttachments))
    const ignored = whyIgnored(mail, message, { ...box, own })
    const seen = await this.#put(box, message, uid, receivedAt, ignored)
    if (seen.status === 'pending' && !(await this.#start(box, seen, message, mail))) return false
    if (ignored === null) {
      // A read-only folder rejects flags, but can be read anyway.
      await client.messageFlagsAdd(String(uid), flags, { uid: true }).catch(() => undefined)
    }
    return true
  }

  #put(
    box: ClaimedMailbox,
    { messageId, sender, subject }: { messageId: string; sender: string; subject: string },
    uid: number,
    receivedAt: Date | null,
    ignored: string | null,
  ): ReturnType<typeof putMessage> {
    const ids = { id: newId('mbm'), runId: newId('run') }
    return putMessage(this.#services.database, box, {
      ...ids,
      messageId,
      uid,
      sender,
      subject,
      receivedAt,
      ignored,
    })
  }

  /**
   * Triggers the run of a message. The reason for a rejected run is stored with the message.
   * Returns false if the run may start later, for example while the workflow is paused; throws for
   * failures of the service, which are retried.
   */
  async #start(
    box: ClaimedMailbox,
    { id, runId }: { id: string; runId: string },
    { data }: ReturnType<typeof readMessage>,
    mail: Email,
  ): Promise<boolean> {
    const { database } = this.#services
    const settle = (status: 'pending' | 'started' | 'failed', why: string | null) =>
      settleMessage(database, box.account_id, id, { status, why })
    try {
      const cause = { id: box.id, name: box.name }
      const ctx = await backgroundContext(this.#services, box.account_id, {
        cause,
        action: 'start a run of a message',
        audit: 'run.triggered',
        reservedId: runId,
      })
      const { files, skipped } = await this.#storeAttachments(box, runId, mail)
      const given = skipped.length === 0 ? data : { ...data, attachments_skipped: skipped }
      await triggerRun(ctx, box.workflow_id, runId, { data: { ...given }, files })
      await settle('started', null)
      return true
    } catch (error) {
      if (
        !(error instanceof DomainError) ||
        ['unavailable', 'internal', 'rate_limited'].includes(error.type)
      ) {
        throw error
      }
      const isHeld = isHeldBack(error)
      await settle(isHeld ? 'pending' : 'failed', error.message)
      return !isHeld
    }
  }

  /**
   * Stores attachments as files of the account. A rejected one is listed in `skipped` with the
   * reason.
   */
  async #storeAttachments(
    box: ClaimedMailbox,
    runId: string,
    mail: Email,
  ): Promise<{ files: string[]; skipped: string[] }> {
    const files: string[] = []
    const skipped: string[] = []
    for (const [index, { filename, content }] of mail.attachments.entries()) {
      const name = fileName(filename ?? 'attachment')
      if (index >= maxAttachments) {
        if (index === maxAttachments) skipped.push(`more than ${maxAttachments} attachments`)
        continue
      }
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
          const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
          const where = { accountId: box.account_id, action, name }
          const stored = await storeContent(this.#services, where, piecesOf(bytes))
          await uploadFile(ctx, fileId, stored)
        })
        files.push(fileId)
      } catch (error) {
        if (!(error instanceof DomainError) || ['unavailable', 'internal'].includes(error.type))
          throw error
        skipped.push(`${name}: ${error.message}`.slice(0, 300))
      }
    }
    return { files, skipped }
  }
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
