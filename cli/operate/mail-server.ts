import { EventEmitter } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { callbackify } from 'node:util'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** A local SMTP server that stores every email and forwards none. */
export interface MailServer extends AsyncDisposable {
  port: number
  /** The received emails, in order. */
  mails: Email[]
  /** Emits `mail` after each delivery. */
  deliveries: EventEmitter<{ mail: [Email] }>
}

const maxBytes = 1024 * 1024

export async function startMailServer(port = 0): Promise<MailServer> {
  const mails: Email[] = []
  const deliveries: MailServer['deliveries'] = new EventEmitter()
  const keep = callbackify(async (stream: Readable): Promise<void> => {
    const mail = await PostalMime.parse(await buffer(stream))
    mails.push(mail)
    deliveries.emit('mail', mail)
  })
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: maxBytes,
    closeTimeout: 1_000,
    onData: (stream, _session, done) => keep(stream, done),
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, '127.0.0.1', resolve)
  await promise
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    deliveries,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(resolve)),
  }
}
