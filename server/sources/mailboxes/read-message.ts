import { hash } from 'node:crypto'
import type { Email } from 'postal-mime'
import { isEmail, normalizeEmail } from '../../email-text.ts'
import { storable, visibleText } from '../../safe-text.ts'
import { asciiDomain, whyDoubted, type SenderFilter } from './authentication.ts'
import { textOf } from './mail-text.ts'

/** Converts a message to the data of a run, and decides whether it may start one; pure. */
export interface ReadMessage {
  /** Identifies the message: its Message-ID, or a hash. */
  messageId: string
  sender: string
  subject: string
  /** Of what a reader sees: another content under the same Message-ID is another message. */
  contentHash: string
  data: MessageData
}

interface MessageData {
  from: string
  from_name: string
  to: string[]
  cc: string[]
  /** Where the sender wants answers, if that is elsewhere; else empty. */
  reply_to: string[]
  subject: string
  text: string
  /** Whether the text was cut. */
  text_cut: boolean
  date: string | null
  /** For `in_reply_to` of `email.send`, so that the answer joins the thread. */
  message_id: string
  in_reply_to: string | null
  attachments: string[]
}

const maxTextLength = 16_000
const maxSubjectLength = 300
const maxAddresses = 50
/** Bytes of JSON of each list of addresses. */
const maxListBytes = 4_000
/** Bytes of JSON of all fields; a run takes 64 KB, and attachments that were skipped are added later. */
const maxDataBytes = 56_000

export function readMessage(mail: Email, source: Uint8Array, attachments: string[]): ReadMessage {
  const given = mail.messageId?.trim()
  const messageId =
    given !== undefined && given !== '' && given.length <= 500
      ? oneLine(given, 500)
      : `<${hash('sha256', source)}>`
  const sender = normalizeEmail(oneLine(mail.from?.address ?? '', 254))
  const subject = oneLine(mail.subject ?? '', maxSubjectLength)
  const { text: whole, isCut } = textOf(mail, source)
  const data: MessageData = {
    from: sender,
    from_name: oneLine(mail.from?.name ?? '', 200),
    to: addressesOf(mail.to),
    cc: addressesOf(mail.cc),
    reply_to: addressesOf(mail.replyTo),
    subject,
    text: '',
    text_cut: false,
    date: mail.date ?? null,
    message_id: messageId,
    in_reply_to: mail.inReplyTo === undefined ? null : oneLine(mail.inReplyTo, 500),
    attachments,
  }
  const room = maxDataBytes - bytesOf(data)
  const text = cut(Array.from(whole).slice(0, maxTextLength).join(''), room)
  const seen = [sender, subject, whole, attachments]
  return {
    messageId,
    sender,
    subject,
    contentHash: hash('sha256', JSON.stringify(seen)),
    data: { ...data, text, text_cut: isCut || text.length < whole.length },
  }
}

function addressesOf(list: Email['to']): string[] {
  let left = maxListBytes
  return (
    (list ?? [])
      // A group such as `team: a@x.org, b@x.org;` has addresses of its own.
      .flatMap(({ address, group }) => group?.map((one) => one.address) ?? address ?? [])
      .filter((address) => address !== undefined && address !== '')
      .slice(0, maxAddresses)
      .map((one) => oneLine(one, 254))
      .filter((one) => (left -= bytesOf(one)) >= 0)
  )
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** The beginning of a text that has at most so many bytes as JSON. */
function cut(text: string, bytes: number): string {
  if (bytesOf(text) <= bytes) return text
  let left = bytes - 2
  let end = 0
  for (const character of text) {
    left -= bytesOf(character) - 2
    if (left < 0) break
    end += character.length
  }
  return text.slice(0, end)
}

const noReply = /^(?:no[-_.]?reply|do[-_.]?not[-_.]?reply)@/i

/** Types of delivery reports, read receipts and reports of abuse. */
const reportType =
  /^\s*(?:multipart\/report|message\/(?:global-)?(?:delivery-status|disposition-notification))\b/

/** The settings of a mailbox, and senders whose messages would loop. */
export interface MailFilter extends SenderFilter {
  subject_contains: string | null
  own: string[]
}

/**
 * Why a message may not start a run; null if it may. Automatic replies and Muster's own messages
 * would cause loops.
 */
export function whyIgnored(
  mail: Pick<Email, 'headers' | 'returnPath'>,
  message: ReadMessage,
  filter: MailFilter,
): string | null {
  const header = (name: string): string | undefined =>
    mail.headers
      .find(({ key }) => key === name)
      ?.value.trim()
      .toLowerCase()
  const { sender, subject } = message
  if (!isEmail(sender)) return 'It has no sender to reply to'
  const isOwn = (address: string): boolean =>
    filter.own.some((one) => asciiDomain(one) === asciiDomain(normalizeEmail(address)))
  if (isOwn(sender)) return 'It is from the mailbox or its own sender'
  // The value may have a comment and parameters: `no (by hand)`.
  const [submitted] = (header('auto-submitted') ?? 'no')
    .replaceAll(/\([^()]*\)/g, ' ')
    .split(';', 1)
  if (submitted?.trim() !== 'no') return 'It is an automatic message'
  if (reportType.test(header('content-type') ?? '')) return 'It is a delivery or read report'
  if (/^(bulk|junk|auto_reply)$/.test(header('precedence') ?? '')) return 'It is a bulk message'
  if (header('x-autoreply') !== undefined || header('x-autorespond') !== undefined) {
    return 'It is an automatic message'
  }
  if (mail.returnPath === '<>' || header('return-path') === '<>') return 'It is a bounce'
  if (/^(mailer-daemon|postmaster)@/.test(sender)) return 'Its sender accepts no replies'
  // Shops and forms write so, and name a person in Reply-To.
  const isAnswered = message.data.reply_to.some((one) => !noReply.test(one) && !isOwn(one))
  if (noReply.test(sender) && !isAnswered) return 'Its sender accepts no replies'
  const doubt = whyDoubted(mail.headers, sender, filter)
  if (doubt !== null) return doubt
  const { senders, subject_contains: words } = filter
  const isAllowed =
    senders === null ||
    senders.some((one) => {
      const [given, wanted] = [asciiDomain(sender), asciiDomain(one)]
      return wanted.startsWith('@') ? given.endsWith(wanted) : given === wanted
    })
  if (!isAllowed) return "Its sender is not among the mailbox's senders"
  if (words !== null && !subject.toLowerCase().includes(words.toLowerCase())) {
    return `Its subject does not have "${words}"`
  }
  return null
}

function oneLine(text: string, max: number): string {
  const plain = storable(visibleText(text.slice(0, 4 * max))).replaceAll(/\s+/g, ' ')
  return Array.from(plain.trim()).slice(0, max).join('')
}
