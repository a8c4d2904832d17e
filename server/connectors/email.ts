import { createHash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { defineAction, defineConnector, type CallContext } from '../tools/connector.ts'
import { addressList, sender, toMailbox, type Mailbox } from './email-address.ts'
import { sendMail, SmtpError, tryLogin } from './smtp.ts'

/** Email through any SMTP server: the account's own, or the operator's for all accounts. */
const Credentials = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: '^[A-Za-z0-9._:-]+$',
      description: 'Name or address of the SMTP server, such as smtp.example.com.',
    }),
    port: Type.Integer({
      minimum: 1,
      maximum: 65_535,
      description:
        '465 with TLS from the start, else 587, 25 or 2525; others only in allowed networks.',
    }),
    secure: Type.Optional(
      Type.Boolean({
        description:
          'TLS from the first byte: by default on port 465 alone, others use STARTTLS. An explicit `false` allows a ' +
          'server in an allowed network to have neither.',
      }),
    ),
    user: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 254,
        description: 'User name; left out, there is no login.',
      }),
    ),
    pass: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        writeOnly: true,
        description: 'Password of the user.',
      }),
    ),
    from: Type.String({
      maxLength: 254,
      pattern: sender,
      description:
        'Sender: an address, or a name with it in angle brackets, such as Ops <ops@example.com>.',
    }),
  },
  { $id: 'EmailCredentials', additionalProperties: false, description: 'How email is sent.' },
)
export type EmailCredentials = Static<typeof Credentials>

const send = defineAction({
  name: 'send',
  description: 'Sends an e-mail in plain text.',
  sensitive: true,
  input: {
    to: Type.String({
      maxLength: 2000,
      pattern: addressList,
      description:
        'Receivers, such as ann@example.com or Ann <ann@example.com>; up to 20 with commas between.',
    }),
    cc: Type.Optional(
      Type.String({
        maxLength: 2000,
        pattern: addressList,
        description:
          'Receivers of a copy, such as ann@example.com or Ann <ann@example.com>; up to 20 with commas between.',
      }),
    ),
    subject: Type.String({
      minLength: 1,
      maxLength: 250,
      pattern: '^[^\\x00-\\x1f\\x7f]*$',
      description: 'Subject, one line.',
    }),
    text: Type.String({ minLength: 1, maxLength: 25_000, description: 'The message.' }),
    in_reply_to: Type.Optional(
      Type.String({
        maxLength: 500,
        pattern: '^<[^<>\\s]+>$',
        description: 'Message-ID of the email that it answers, so that it stays in the thread.',
      }),
    ),
  },
  call: async (input, context: CallContext<EmailCredentials>, { idempotencyKey, signal }) => {
    const from = toMailbox(context.credentials.from)
    const [to, cc] = [mailboxesOf(input.to), mailboxesOf(input.cc)]
    const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
    const message = await new MailComposer({
      from,
      to,
      cc,
      ...(await subjectOf(input.subject)),
      text: input.text,
      messageId: toMessageId(idempotencyKey, from.address),
      ...(input.in_reply_to !== undefined && {
        inReplyTo: input.in_reply_to,
        references: input.in_reply_to,
      }),
      // The content comes from a model and must not make nodemailer read files or addresses.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
      .compile()
      .build()
    try {
      const receivers = [...to, ...cc].map(({ address }) => address)
      const envelope = { from: from.address, to: [...new Set(receivers)] }
      const rejected = await sendMail(context, envelope, message, signal)
      const refused = rejected.length === 0 ? '' : ` The server refused ${rejected.join('; ')}.`
      return { status: 'succeeded', output: `Sent to the mail server.${refused}` }
    } catch (error) {
      if (!(error instanceof SmtpError)) throw error
      return { status: error.mayBeSent ? 'unknown' : 'failed', output: error.message }
    }
  },
})

export const email = defineConnector({
  id: 'email',
  label: 'Email',
  credentials: Credentials,
  labels: {
    host: 'SMTP server',
    port: 'Port',
    secure: 'TLS from the start',
    user: 'User name',
    pass: 'Password',
    from: 'Sender',
  },
  harmlessFields: ['from'],
  secretNeeds: { pass: 'user' },
  actions: [send],
  operatorCredentials: ({ smtp }) => smtp as EmailCredentials | undefined,
  operatorVersion: ({ smtp = {} }) => JSON.stringify([smtp['host'], smtp['port'], smtp['from']]),
  test: async (context) => {
    try {
      await tryLogin(context)
      const as = context.credentials.user === undefined ? 'without a login' : 'and takes the login'
      return { ok: true, message: `${context.credentials.host} answers ${as}; nothing was sent` }
    } catch (error) {
      if (!(error instanceof SmtpError)) throw error
      return { ok: false, message: error.message }
    }
  },
})

function mailboxesOf(list = ''): Mailbox[] {
  return list.split(',').flatMap((text) => (text.trim() === '' ? [] : toMailbox(text.trim())))
}

/**
 * Encodes a subject that looks encoded already, such as `=?utf-8?Q?a?=`, so that it arrives as it
 * was approved.
 */
async function subjectOf(subject: string): Promise<object> {
  if (!subject.includes('=?') || /[^\x20-\x7e]/.test(subject)) return { subject }
  const { encodeWord } = await import('nodemailer/lib/mime-funcs')
  return { headers: { Subject: { prepared: true, value: encodeWord(subject, 'Q', 52) } } }
}

/** The same id for a repeated call, so that mail systems can detect duplicates. */
function toMessageId(idempotencyKey: string, address: string): string {
  const hash = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 40)
  return `<${hash}@${address.split('@')[1]}>`
}
