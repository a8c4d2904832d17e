import { createHash } from 'node:crypto'
import type { Email } from 'postal-mime'
import { isEmail, normalizeEmail } from '../email-text.ts'
import { storable, visibleText } from '../safe-text.ts'
import { htmlToText } from '../sandbox/html-text.ts'
import { whyDoubted, type SenderFilter } from './authentication.ts'

/** Converts a message to the data of a run, and decides whether it may start one; pure. */
export interface ReadMessage {
  /** Identifies the message: its Message-ID, or a hash. */
  messageId: string
  sender: string
  subject: string
  data: MessageData
}

interface MessageData {
  from: string
  from_name: string
  to: string[]
  cc: string[]
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

/** Keeps the data of the run below its limit of 64 KB, even if characters take three bytes. */
const maxTextLength = 16_000
const maxSubjectLength = 300
/** Text before invisible characters are removed; cut first, as that takes time. */
const maxRawLength = 4 * maxTextLength
const maxAddresses = 50

export function readMessage(mail: Email, source: Uint8Array, attachments: string[]): ReadMessage {
  const given = mail.messageId?.trim()
  const hash = createHash('sha256').update(source).digest('hex')
  const messageId =
    given !== undefined && given !== '' && given.length <= 500 ? oneLine(given, 500) : `<${hash}>`
  const sender = normalizeEmail(oneLine(mail.from?.address ?? '', 254))
  const subject = oneLine(mail.subject ?? '', maxSubjectLength)
  const { text, isCut } = textOf(mail)
  const addresses = (list: Email['to']) =>
    (list ?? [])
      .flatMap(({ address }) => address ?? [])
      .slice(0, maxAddresses)
      .map((one) => oneLine(one, 254))
  return {
    messageId,
    sender,
    subject,
    data: {
      from: sender,
      from_name: oneLine(mail.from?.name ?? '', 200),
      to: addresses(mail.to),
      cc: addresses(mail.cc),
      subject,
      text,
      text_cut: isCut,
      date: mail.date ?? null,
      message_id: messageId,
      in_reply_to: mail.inReplyTo === undefined ? null : oneLine(mail.inReplyTo, 500),
      attachments,
    },
  }
}

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
  if (filter.own.includes(sender)) return 'It is from the mailbox or its own sender'
  const submitted = header('auto-submitted')
  if (submitted !== undefined && submitted !== 'no') return 'It is an automatic message'
  if (/^(bulk|junk|auto_reply)$/.test(header('precedence') ?? '')) return 'It is a bulk message'
  if (header('x-autoreply') !== undefined || header('x-autorespond') !== undefined) {
    return 'It is an automatic message'
  }
  if (mail.returnPath === '<>' || header('return-path') === '<>') return 'It is a bounce'
  if (/^(mailer-daemon|postmaster|no-?reply|do-?not-?reply)@/.test(sender)) {
    return 'Its sender accepts no replies'
  }
  const doubt = whyDoubted(mail.headers, sender, filter)
  if (doubt !== null) return doubt
  const { senders, subject_contains: words } = filter
  const isAllowed =
    senders === null ||
    senders.some((one) => (one.startsWith('@') ? sender.endsWith(one) : sender === one))
  if (!isAllowed) return "Its sender is not among the mailbox's senders"
  if (words !== null && !subject.toLowerCase().includes(words.toLowerCase())) {
    return `Its subject does not have "${words}"`
  }
  return null
}

function textOf({ text, html = '' }: Email): { text: string; isCut: boolean } {
  const given = text === undefined ? htmlToText(html) : { text, isCut: false }
  const start = given.text.trimStart()
  const clean = storable(visibleText(start.slice(0, maxRawLength))).trim()
  const characters = Array.from(clean)
  return {
    text: characters.slice(0, maxTextLength).join(''),
    isCut: given.isCut || start.length > maxRawLength || characters.length > maxTextLength,
  }
}

function oneLine(text: string, max: number): string {
  const plain = storable(visibleText(text.slice(0, 4 * max))).replaceAll(/\s+/g, ' ')
  return Array.from(plain.trim()).slice(0, max).join('')
}
