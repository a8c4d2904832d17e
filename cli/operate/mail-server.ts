import { EventEmitter } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { callbackify } from 'node:util'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

/** An SMTP server on this machine that stores every email and forwards none. */
export interface MailServer extends AsyncDisposable {
  port: number
  /** Delivered mails in order, with the recipients of their envelopes. */
  mails: (Email & { receivers: string[] })[]
  /** Receivers that it refuses with status 550; tests add some. */
  refused: Set<string>
  /** Emits `mail` after each delivery. */
  deliveries: EventEmitter<{ mail: [Email] }>
}

const maxBytes = 1024 * 1024

export async function startMailServer(port = 0): Promise<MailServer> {
  const mails: MailServer['mails'] = []
  const refused = new Set<string>()
  const deliveries: MailServer['deliveries'] = new EventEmitter()
  const store = callbackify(async (stream: Readable, session: SMTPServerSession): Promise<void> => {
    const mail = await PostalMime.parse(await buffer(stream))
    mails.push({ ...mail, receivers: session.envelope.rcptTo.map(({ address }) => address) })
    deliveries.emit('mail', mail)
  })
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: maxBytes,
    closeTimeout: 1_000,
    onRcptTo: ({ address }, _session, done) => {
      done(refused.has(address) ? new Error('no such mailbox') : null)
    },
    onData: (stream, session, done) => store(stream, session, done),
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Also receives errors of connections later, which must not end the process.
  server.on('error', reject)
  server.listen(port, '127.0.0.1', resolve)
  await promise
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    refused,
    deliveries,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(resolve)),
  }
}
