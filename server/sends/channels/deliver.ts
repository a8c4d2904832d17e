import { createHash } from 'node:crypto'
import { findBuiltInConnector, secretsOf } from '../../connectors/built-ins.ts'
import { findCallContext } from '../../connectors/call-context.ts'
import type { EmailCredentials } from '../../connectors/email.ts'
import { toMailbox } from '../../connectors/email-address.ts'
import { hideSecrets } from '../../connectors/secret.ts'
import { callSlack, refusalOf, type SlackCredentials } from '../../connectors/slack.ts'
import { sendMail, SmtpError } from '../../connectors/smtp.ts'
import type { Services } from '../../context.ts'
import type { Finding } from '../../db/connection-state.ts'
import { textField } from '../../tools/call-api.ts'
import type { CallContext } from '../../tools/connector.ts'
import type { SlackBlock } from './slack-message.ts'
import { openSecret } from './secret.ts'
import type { ChannelRow } from './store.ts'

/** Sends a message through a mail server or Slack, once. */
type Delivering = Pick<Services, 'database' | 'outbound' | 'sandbox' | 'toolSettings' | 'secrets'>

export interface Email {
  to: string
  subject: string
  text: string
  html: string
  /** The same for each attempt, so that mail systems can detect duplicates. */
  key: string
  /** Key of the message that it replies to in a thread. */
  replyTo?: string | undefined
}

/** Position of a Slack message. */
export interface SlackPlace {
  channel: string
  ts: string
}

export type Delivered = { ok: true; place?: SlackPlace } | { ok: false; why: string }

const timeoutMs = 30_000

/** The account's own mail server, or else the operator's. */
export function findMailServer(
  services: Delivering,
  accountId: string,
): Promise<MailServer | undefined> {
  return findCallContext(services, accountId, 'email') as Promise<MailServer | undefined>
}

export type MailServer = CallContext<EmailCredentials>

export async function deliverEmail(
  context: MailServer | undefined,
  email: Email,
): Promise<Delivered> {
  if (context === undefined) return { ok: false, why: noMailServer }
  const from = toMailbox(context.credentials.from)
  const domain = from.address.split('@')[1] ?? 'muster'
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const message = await new MailComposer({
    from,
    // An object, so that nodemailer does not parse it as a list of addresses.
    to: { name: '', address: email.to },
    subject: email.subject,
    text: email.text,
    html: email.html,
    messageId: messageId(email.key, domain),
    ...(email.replyTo !== undefined && {
      inReplyTo: messageId(email.replyTo, domain),
      references: messageId(email.replyTo, domain),
    }),
    // Suppresses vacation notices and other automatic replies.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
  try {
    const envelope = { from: from.address, to: [toMailbox(email.to).address] }
    await sendMail(context, envelope, message, AbortSignal.timeout(timeoutMs))
    return { ok: true }
  } catch (error) {
    if (!(error instanceof SmtpError)) throw error
    return { ok: false, why: hideSecrets(error.message, secretsOf('email', context.credentials)) }
  }
}

export interface SlackMessage {
  /** Plain text for notifications and screen readers. */
  text: string
  blocks: SlackBlock[]
}

/** Posts a message, in a thread if one is given. */
export function postToSlack(
  services: Delivering,
  accountId: string,
  channel: ChannelRow,
  message: SlackMessage,
  thread?: SlackPlace,
): Promise<Delivered> {
  const to = thread?.channel ?? channel.slack_channel
  return sendToSlack(services, accountId, channel, 'chat.postMessage', {
    channel: to,
    ...escaped(message),
    ...(thread && { thread_ts: thread.ts }),
    unfurl_links: false,
    unfurl_media: false,
  })
}

/** Replaces a posted message. */
export function updateInSlack(
  services: Delivering,
  accountId: string,
  channel: ChannelRow,
  place: SlackPlace,
  message: SlackMessage,
): Promise<Delivered> {
  return sendToSlack(services, accountId, channel, 'chat.update', { ...place, ...escaped(message) })
}

/** Slack reads markup in `text`, unlike in the blocks: `<!channel>` would notify everybody. */
function escaped({ text, blocks }: SlackMessage): SlackMessage {
  const plain = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return { text: plain, blocks }
}

async function sendToSlack(
  services: Delivering,
  accountId: string,
  channel: ChannelRow,
  method: string,
  body: object,
): Promise<Delivered> {
  const context = slackContext(services, accountId, channel)
  const answer = await callSlack(context, method, body, AbortSignal.timeout(timeoutMs))
  const refusal = refusalOf(answer)
  if (refusal !== undefined)
    return { ok: false, why: hideSecrets(refusal.output, secretsOf('slack', context.credentials)) }
  const { body: said } = answer as Extract<typeof answer, { ok: true }>
  const [posted, ts] = [textField(said, 'channel'), textField(said, 'ts')]
  return { ok: true, ...(posted && ts && { place: { channel: posted, ts } }) }
}

/** Whether the mail server or Slack accepts the login; sends nothing. */
export async function tryConnection(
  services: Delivering,
  accountId: string,
  channel: ChannelRow,
): Promise<Finding> {
  const context =
    channel.kind === 'slack'
      ? slackContext(services, accountId, channel)
      : await findCallContext(services, accountId, 'email')
  if (context === undefined) return { ok: false, message: noMailServer }
  const tested = await findBuiltInConnector(channel.kind)?.test(context)
  const { ok = false, message = '' } = tested ?? {}
  return { ok, message: hideSecrets(message, secretsOf(channel.kind, context.credentials)) }
}

export function slackContext(
  { outbound, sandbox, toolSettings, secrets }: Delivering,
  accountId: string,
  channel: ChannelRow,
): CallContext<SlackCredentials> {
  const { token = '' } = openSecret(secrets, accountId, channel)
  const readFetchHosts = async () => null
  const credentials = { token }
  return {
    accountId,
    outbound,
    sandbox,
    toolSettings,
    credentials,
    readFetchHosts,
    isOperators: false,
  }
}

const noMailServer =
  'There is no mail server to send through: connect Email, or ask the operator to set MUSTER_SMTP_URL'

function messageId(key: string, domain: string): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 40)
  return `<${hash}@${domain}>`
}
