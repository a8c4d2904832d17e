import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { callbackify } from 'node:util'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** An SMTP server on this machine that keeps every mail for whoever looks, and sends none on. */
export interface MailServer extends AsyncDisposable {
  port: number
  /** What was delivered, in order. */
  mails: Email[]
}

const maxBytes = 1024 * 1024

export async function startMailServer(): Promise<MailServer> {
  const mails: Email[] = []
  const keep = callbackify(async (stream: Readable): Promise<void> => {
    mails.push(await PostalMime.parse(await buffer(stream)))
  })
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: maxBytes,
    closeTimeout: 1_000,
    onData: (stream, _session, done) => keep(stream, done),
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(0, '127.0.0.1', resolve)
  await promise
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(resolve)),
  }
}
