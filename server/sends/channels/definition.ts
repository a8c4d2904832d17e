import type { Services } from '../../context.ts'
import { noteUse } from '../../db/connection-state.ts'
import { findCase, type Case } from '../../engine/reads/cases.ts'
import { caseIdOf } from '../../engine/run/case.ts'
import { findPerson } from '../../people/find-person.ts'
import { readPolicies } from '../../policies/read.ts'
import { needsSignIn } from '../../policies/rules.ts'
import { allows } from '../../identity.ts'
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
  closeCases,
  dropNotification,
  recordTry,
  messages,
  type AlertBody,
  type ClaimedNotification,
} from './notification-store.ts'
import { done, type Outcome } from '../../work/outcome.ts'
import type { Work } from '../../work/worker.ts'
import { linkToken, openSecret, type SentBy } from './secret.ts'
import { describeOutcomes, viewOf } from './case-view.ts'
import { caseMessage, closedMessage, plainMessage } from './slack-message.ts'

/**
 * Messages to people about waiting cases, as work. Before each claim, waiting runs are compared with existing messages: a
 * case without a message gets one for each recipient of a channel, and messages of decided cases are closed. Runs know
 * nothing of this and pay nothing for it. A message may be sent twice after a crash, with the same link.
 */
export interface ChannelParts extends Pick<
  Services,
  'database' | 'outbound' | 'sandbox' | 'toolSettings' | 'secrets' | 'log'
> {
  publicUrl: () => string
}

export function channelWork(
  parts: ChannelParts,
  { everyMs, remindersMs }: { everyMs: number; remindersMs: number },
): Work<ClaimedNotification, Sent> {
  return {
    what: 'a message of a channel',
    table: messages,
    atOnce: 500,
    perAccount: 10,
    everyMs,
    prepare: lookForCases(parts, { everyMs, remindersMs }),
    run: (one) => send(parts, one),
    async settle(settled) {
      for (const { item, outcome } of settled) {
        // The claim of a message that could not be tried expires with its lease.
        if (outcome.kind === 'done') await recordSent(parts, item, outcome.value)
      }
    },
  }
}

/**
 * With 10,000 waiting requests a look takes half a second; it may use a tenth of a connection's
 * time.
 */
const pauseFactor = 9

/** Compares waiting cases with messages; the longer this takes, the longer the pause after it. */
function lookForCases(
  { database }: ChannelParts,
  { everyMs, remindersMs }: { everyMs: number; remindersMs: number },
): () => Promise<void> {
  let looksAt = 0
  /** When reminders and escalations are checked next; they need not be exact to the second. */
  let remindsAt = 0
  return async () => {
    const startedAt = performance.now()
    if (looksAt > startedAt) return
    await announceCases(database)
    await closeCases(database)
    if (remindsAt <= startedAt) {
      await remindOfCases(database)
      await escalateCases(database)
      remindsAt = startedAt + remindersMs
    }
    const now = performance.now()
    looksAt = Math.max(startedAt + everyMs, now + pauseFactor * (now - startedAt))
  }
}

/** What became of a message; `delivered` is undefined if there was nothing to send any more. */
interface Sent {
  isUpdate: boolean
  delivered: Delivered | undefined
}

async function send(parts: ChannelParts, one: ClaimedNotification): Promise<Outcome<Sent>> {
  const isUpdate = one.status === 'sent'
  const isOver = !isUpdate && one.pendingId !== null && !one.isOpen
  const delivered = isOver
    ? undefined
    : await deliver(parts, one, isUpdate).catch((error: unknown): Delivered => {
        parts.log.error({ err: error, id: one.id }, 'cannot send a message of a channel')
        return { ok: false, why: 'The service could not send it, see its logs' }
      })
  return done({ isUpdate, delivered })
}

async function recordSent(
  parts: ChannelParts,
  one: ClaimedNotification,
  { isUpdate, delivered }: Sent,
): Promise<void> {
  const { database } = parts
  if (delivered === undefined) return dropNotification(database, one)
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
  await noteUse(parts, 'channels', one.accountId, one.channel, finding)
}

/** Undefined if there is nothing to send any more. */
async function deliver(
  parts: ChannelParts,
  one: ClaimedNotification,
  isUpdate: boolean,
): Promise<Delivered | undefined> {
  const { runId, callId, pendingId, accountId } = one
  if (one.body !== null) return sendAlert(parts, one, one.body)
  if (runId === null || pendingId === null) return undefined
  const where = { runId, callId, pendingId }
  const found = await findCase(parts.database, accountId, where)
  if (found === undefined) return undefined
  if (isUpdate) return close(parts, one, found)
  if (found.pending === null || caseIdOf(found.pending) !== one.pendingId) return undefined
  return one.channel.kind === 'email' ? mail(parts, one, found) : post(parts, one, found)
}

async function mail(
  parts: ChannelParts,
  one: ClaimedNotification,
  found: Case,
): Promise<Delivered> {
  const { accountId, recipient, channel } = one
  const person = await findPerson(parts.database, accountId, { email: recipient })
  const canAnswer = person !== undefined && allows(person.role, 'approver')
  const server = await findMailServer(parts, accountId)
  const sentBy = server?.isOperators === true ? 'operator' : 'account'
  const url = canAnswer ? answerUrl(parts, one, sentBy) : caseUrl(parts, one)
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

async function post(
  parts: ChannelParts,
  one: ClaimedNotification,
  found: Case,
): Promise<Delivered> {
  const { accountId, channel } = one
  const policies = await readPolicies(parts.database, accountId)
  // A button answers one request, so a case of several calls is decided in Muster.
  const isOne = found.pending?.case_id === undefined
  const mustSignIn = needsSignIn(policies, [found.pending ?? {}], 'account')
  const mayAnswer = channel.has_signing_secret && isOne && !mustSignIn
  const url = caseUrl(parts, one)
  const reason = reasons[one.kind]
  if (reason !== undefined) {
    const text = one.thread?.place == null ? viewOf(found).title : ''
    const message = plainMessage(reason.text, text, { label: 'Open in Muster', url })
    return postToSlack(parts, accountId, channel, message, one.thread?.place ?? undefined)
  }
  const message = caseMessage(viewOf(found), { url, notificationId: one.id, mayAnswer })
  return postToSlack(parts, accountId, channel, message)
}

async function sendAlert(
  parts: ChannelParts,
  { accountId, id, channel, recipient }: ClaimedNotification,
  body: AlertBody,
): Promise<Delivered> {
  const { title, text, path } = body
  const action = { label: 'Open in Muster', url: `${parts.publicUrl()}${path}` }
  if (channel.kind === 'slack') {
    return postToSlack(parts, accountId, channel, plainMessage(title, text, action))
  }
  const footer = `You get this because you are a recipient of the channel ${channel.name} of Muster.`
  const lines = [title, ...text.split('\n')]
  const letter = { subject: title, lines, fields: [], texts: [], action, footer }
  const email = { to: recipient, ...toEmail(letter), key: id }
  return deliverEmail(await findMailServer(parts, accountId), email)
}

/** Shows in Slack who decided, in place of the buttons. */
async function close(
  parts: ChannelParts,
  one: ClaimedNotification,
  found: Case,
): Promise<Delivered | undefined> {
  if (one.place === null) return undefined
  const message = closedMessage(viewOf({ ...found, pending: null }), describeOutcomes(found))
  return updateInSlack(parts, one.accountId, one.channel, one.place, message)
}

function answerUrl(
  parts: ChannelParts,
  { accountId, id, channel }: ClaimedNotification,
  sentBy: SentBy,
): string {
  const { link_key: key } = openSecret(parts.secrets, accountId, channel)
  return `${parts.publicUrl()}/answer/${linkToken(key, accountId, id, sentBy)}`
}

function caseUrl(parts: ChannelParts, { pendingId }: ClaimedNotification): string {
  return `${parts.publicUrl()}/inbox/${pendingId}`
}

/** Why a follow-up message about a case is sent. */
const reasons: Partial<Record<ClaimedNotification['kind'], { label: string; text: string }>> = {
  reminder: { label: 'Reminder', text: 'Reminder: this is still waiting for an answer.' },
  escalation: { label: 'Escalated', text: 'Escalated: this has not been answered in time.' },
  assignment: { label: 'Assigned to you', text: 'This is assigned to you.' },
}
