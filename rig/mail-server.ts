import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** An SMTP server on loopback that stores emails. */
export interface MailServer extends AsyncDisposable {
  port: number
  mails: (Email & { receivers: string[] })[]
  /** Recipients that it rejects with 550. */
  refused: Set<string>
}

export async function startMailServer(): Promise<MailServer> {
  const mails: MailServer['mails'] = []
  const refused = new Set<string>()
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => {
      done(refused.has(address) ? new Error('no such mailbox') : null)
    },
    onData: (stream, { envelope: { rcptTo } }, done) => {
      const receivers = rcptTo.map(({ address }) => address)
      void buffer(stream)
        .then((bytes) => PostalMime.parse(bytes))
        .then((mail) => mails.push({ ...mail, receivers }))
        .finally(() => done())
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    mails,
    refused,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
