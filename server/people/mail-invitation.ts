import type { EmailCredentials } from '../connectors/email.ts'
import type { Context } from '../context.ts'

type Mailing = Pick<Context, 'toolSettings' | 'log'>

export function mailInvitation(mailing: Mailing, email: string, link: string): Promise<boolean> {
  return mailLink(mailing, email, {
    subject: 'You are invited to Muster',
    text: `You are invited to Muster. This link works once and for seven days:\n\n${link}\n`,
  })
}

/**
 * Sends an email through the operator's server; false if there is none or it rejected the email.
 */
export async function mailLink(
  { toolSettings, log }: Mailing,
  email: string,
  message: { subject: string; text: string },
): Promise<boolean> {
  const { smtp } = toolSettings
  if (smtp === undefined) return false
  const { host, port, secure, user, pass, from } = smtp as EmailCredentials
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host,
    port,
    secure,
    ...(user === undefined ? {} : { auth: { user, pass: pass ?? '' } }),
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 10_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({
      from,
      // An object, so that nodemailer does not parse it as a list of addresses.
      to: { name: '', address: email },
      ...message,
    })
    return true
  } catch (error) {
    log.warn({ err: error }, 'a one-time link was not mailed')
    return false
  } finally {
    transport.close()
  }
}
