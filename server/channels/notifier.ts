import type { Services } from '../context.ts'
import { noteUse } from '../db/connection-state.ts'
import { logFailure } from '../db/outage.ts'
import { findCase, type Case } from '../engine/reads/cases.ts'
import { caseIdOf } from '../engine/run/case.ts'
import { InFlight, loop, type Loop } from '../loop.ts'
import { findPerson } from '../people/find-person.ts'
import { readPolicies } from '../policies/read.ts'
import { needsSignIn } from '../policies/rules.ts'
import { allows } from '../identity.ts'
import {
  deliverEmail,
  findMailServer,
  postToSlack,
  updateInSlack,
  type Delivered,
} from './deliver.ts'
import { caseLetter, toEmail } from './email-message.ts'
import { escalateCases, remindOfCases } from './escalation-store.ts'
import {
  announceCases,
  claimNotifications,
  closeCases,
  dropNotification,
  recordTry,
  type AlertBody,
  type ClaimedNotification,
} from './notification-store.ts'
import { linkToken, openSecret, type SentBy } from './secret.ts'
import { describeOutcomes, viewOf } from './case-view.ts'
import { caseMessage, closedMessage, plainMessage } from './slack-message.ts'

/**
 * Notifies people about waiting cases. One loop per process compares waiting runs with existing
 * messages: a case without a message gets one for each recipient of a channel, and messages of
 * decided cases are closed. Runs know nothing of this and pay nothing for it. The same loop claims
 * due messages and sends them, up to ten of an account and fifty of all accounts in parallel. The
 * claims of a process that dies expire after 90 seconds, so a message may be sent twice, with the
 * same link.
 */
type NotifierServices = Pick<Services, 'database' | 'outbound' | 'toolSettings' | 'secrets' | 'log'>

const maxInFlight = 50
const maxPerAccount = 10
/**
 * With 10,000 waiting requests a pass takes half a second; it may use a tenth of a connection's
 * time.
 */
const pauseFactor = 9

export class Notifier {
  readonly #services: NotifierServices
  readonly #inFlight = new InFlight<ClaimedNotification>(maxInFlight, () => this.#loop.wake())
  readonly #publicUrl: () => string
  readonly #remindersMs: number
  readonly #loop: Loop
  readonly #everyMs: number
  #looksAt = 0
  /** When reminders and escalations are checked next; they need not be exact to the second. */
  #remindsAt = 0

  constructor(
    services: NotifierServices,
    {
      everyMs,
      remindersMs,
      publicUrl,
    }: { everyMs: number; remindersMs: number; publicUrl: () => string },
  ) {
    this.#services = services
    this.#remindersMs = remindersMs
    this.#everyMs = everyMs
    this.#publicUrl = publicUrl
    this.#loop = loop({
      everyMs,
      minGapMs: 50,
      tick: () => this.tick(),
      onError: (error) => logFailure(services.log, error, 'announcing cases failed'),
    })
  }

  /** Takes nothing new and waits for messages in flight, which have timeouts. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.stop()
    await this.#inFlight.drain()
  }

  async tick(): Promise<void> {
    const { database } = this.#services
    if (this.#looksAt <= performance.now()) await this.#look()
    const { free } = this.#inFlight
    if (free <= 0) return
    const claimed = await claimNotifications(database, free, this.#busyAccounts())
    for (const one of claimed) {
      const work = this.#send(one).catch((error: unknown) => {
        logFailure(this.#services.log, error, 'a message of a channel failed', { id: one.id })
      })
      this.#inFlight.add(one, work)
    }
  }

  /**
   * Compares waiting cases with existing messages; the longer this takes, the longer the pause
   * after it.
   */
  async #look(): Promise<void> {
    const { database } = this.#services
    const startedAt = performance.now()
    await announceCases(database)
    await closeCases(database)
    if (this.#remindsAt <= startedAt) {
      await remindOfCases(database)
      await escalateCases(database)
      this.#remindsAt = startedAt + this.#remindersMs
    }
    const now = performance.now()
    const spent = now - startedAt
    this.#looksAt = Math.max(startedAt + this.#everyMs, now + pauseFactor * spent)
  }

  #busyAccounts(): string[] {
    const counts = Map.groupBy(this.#inFlight.subjects, ({ accountId }) => accountId)
    return [...counts].flatMap(([account, all]) => (all.length >= maxPerAccount ? [account] : []))
  }

  async #send(one: ClaimedNotification): Promise<void> {
    const { database, log } = this.#services
    const isUpdate = one.status === 'sent'
    if (!isUpdate && one.pendingId !== null && !one.isOpen) {
      await dropNotification(database, one)
      return
    }
    const delivered = await this.#deliver(one, isUpdate).catch((error: unknown): Delivered => {
      log.error({ err: error, id: one.id }, 'cannot send a message of a channel')
      return { ok: false, why: 'The service could not send it, see its logs' }
    })
    if (delivered === undefined) {
      await dropNotification(database, one)
      return
    }
    const finding = delivered.ok
      ? { ok: true, message: 'A message was sent' }
      : { ok: false, message: delivered.why }
    await recordTry(
      database,
      one,
      delivered.ok
        ? { isUpdate, ...(delivered.place && { place: delivered.place }) }
        : { why: delivered.why },
    )
    await noteUse(this.#services, 'channels', one.accountId, one.channel, finding)
  }

  /** Undefined if there is nothing to send any more. */
  async #deliver(one: ClaimedNotification, isUpdate: boolean): Promise<Delivered | undefined> {
    const { runId, callId, pendingId, accountId } = one
    if (one.body !== null) return this.#alert(one, one.body)
    if (runId === null || pendingId === null) return undefined
    const where = { runId, callId, pendingId }
    const found = await findCase(this.#services.database, accountId, where)
    if (found === undefined) return undefined
    if (isUpdate) return this.#close(one, found)
    if (found.pending === null || caseIdOf(found.pending) !== one.pendingId) return undefined
    return one.channel.kind === 'email' ? this.#mail(one, found) : this.#post(one, found)
  }

  async #mail(one: ClaimedNotification, found: Case): Promise<Delivered> {
    const { accountId, recipient, channel } = one
    const person = await findPerson(this.#services.database, accountId, { email: recipient })
    const canAnswer = person !== undefined && allows(person.role, 'approver')
    const server = await findMailServer(this.#services, accountId)
    const sentBy = server?.isOperators === true ? 'operator' : 'account'
    const url = canAnswer ? this.#answerUrl(one, sentBy) : this.#caseUrl(one)
    const letter = caseLetter(viewOf(found), { url, canAnswer, channel: channel.name })
    const reason = reasons[one.kind]
    if (reason !== undefined) {
      letter.subject = `${reason.label}: ${letter.subject}`
      letter.lines.unshift(reason.text)
    }
    return deliverEmail(server, {
      to: recipient,
      ...toEmail(letter),
      key: one.id,
      replyTo: one.thread?.id,
    })
  }

  async #post(one: ClaimedNotification, found: Case): Promise<Delivered> {
    const { accountId, channel } = one
    const policies = await readPolicies(this.#services.database, accountId)
    // A button answers one request, so a case of several calls is decided in Muster.
    const isOne = found.pending?.case_id === undefined
    const mustSignIn = needsSignIn(policies, [found.pending ?? {}], 'account')
    const mayAnswer = channel.has_signing_secret && isOne && !mustSignIn
    const url = this.#caseUrl(one)
    const reason = reasons[one.kind]
    if (reason !== undefined) {
      const text = one.thread?.place == null ? viewOf(found).title : ''
      const message = plainMessage(reason.text, text, { label: 'Open in Muster', url })
      return postToSlack(
        this.#services,
        accountId,
        channel,
        message,
        one.thread?.place ?? undefined,
      )
    }
    const message = caseMessage(viewOf(found), { url, notificationId: one.id, mayAnswer })
    return postToSlack(this.#services, accountId, channel, message)
  }

  async #alert(
    { accountId, id, channel, recipient }: ClaimedNotification,
    body: AlertBody,
  ): Promise<Delivered> {
    const { title, text, path } = body
    const action = { label: 'Open in Muster', url: `${this.#publicUrl()}${path}` }
    if (channel.kind === 'slack') {
      return postToSlack(this.#services, accountId, channel, plainMessage(title, text, action))
    }
    const footer = `You get this because you are a recipient of the channel ${channel.name} of Muster.`
    const lines = [title, ...text.split('\n')]
    const letter = { subject: title, lines, fields: [], texts: [], action, footer }
    const email = { to: recipient, ...toEmail(letter), key: id }
    return deliverEmail(await findMailServer(this.#services, accountId), email)
  }

  /** Shows in Slack who decided, in place of the buttons. */
  async #close(one: ClaimedNotification, found: Case): Promise<Delivered | undefined> {
    if (one.place === null) return undefined
    const message = closedMessage(viewOf({ ...found, pending: null }), describeOutcomes(found))
    return updateInSlack(this.#services, one.accountId, one.channel, one.place, message)
  }

  #answerUrl({ accountId, id, channel }: ClaimedNotification, sentBy: SentBy): string {
    const { link_key: key } = openSecret(this.#services.secrets, accountId, channel)
    return `${this.#publicUrl()}/answer/${linkToken(key, accountId, id, sentBy)}`
  }

  #caseUrl({ pendingId }: ClaimedNotification): string {
    return `${this.#publicUrl()}/inbox/${pendingId}`
  }
}

/** Why a follow-up message about a case is sent. */
const reasons: Partial<Record<ClaimedNotification['kind'], { label: string; text: string }>> = {
  reminder: { label: 'Reminder', text: 'Reminder: this is still waiting for an answer.' },
  escalation: { label: 'Escalated', text: 'Escalated: this has not been answered in time.' },
  assignment: { label: 'Assigned to you', text: 'This is assigned to you.' },
}
