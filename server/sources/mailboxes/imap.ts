import { connect as connectTls, type TLSSocket } from 'node:tls'
import { isIP, type Socket } from 'node:net'
import type { ImapFlow, ImapFlowOptions, MailboxObject } from 'imapflow'
import { isPublicAddress } from '../../outbound/address.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { visibleText } from '../../safe-text.ts'

/**
 * A session with an IMAP server, through a guarded socket. A password is sent without TLS only where `secure` is `none`,
 * and never to a public address.
 */
export interface ImapServer {
  host: string
  port: number
  /** TLS from the start, STARTTLS or nothing. */
  secure: 'tls' | 'starttls' | 'none'
  username: string
  password: string
}

export class ImapError extends Error {
  override readonly name = 'ImapError'
}

const publicPorts = [993, 143]
const connectMs = 15_000
const idleMs = 60_000
/** Limit for one message. */
export const maxMessageBytes = 40 * 1024 * 1024
/** Limits for a line, such as the numbers that a search finds, and for an answer with its message. */
const maxLineLength = 512 * 1024
const maxResponseSize = maxMessageBytes + 1024 * 1024
const maxResponseTokens = 100_000

/** The default for a port. */
export function securityOf(port: number): ImapServer['secure'] {
  return port === 993 ? 'tls' : 'starttls'
}

/** Rejects with an `ImapError` for people, or with the error of `work`. */
export async function withImap<T>(
  outbound: Outbound,
  server: ImapServer,
  work: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  const client = await openClient(outbound, server)
  try {
    return await work(client)
  } catch (error) {
    throw isOfServer(error, client) ? new ImapError(explain(error)) : error
  } finally {
    client.close()
  }
}

/** The end of an opened folder: later messages have higher numbers. */
export function endOf({ uidValidity, uidNext }: MailboxObject): {
  uidValidity: number
  lastUid: number
} {
  return { uidValidity: Number(uidValidity), lastUid: uidNext - 1 }
}

async function openClient(outbound: Outbound, server: ImapServer): Promise<ImapFlow> {
  const { host, port, secure, username, password } = server
  let socket: Socket
  try {
    socket = await outbound.connect({ hostname: host, port, allowedPorts: publicPorts })
  } catch (error) {
    if (error instanceof OutboundError) throw new ImapError(error.message)
    throw error
  }
  if (secure === 'none' && isPublicAddress(socket.remoteAddress ?? '')) {
    socket.destroy()
    throw new ImapError(`${host} is on the Internet, where secure cannot be "none"`)
  }
  const { ImapFlow: Client } = await import('imapflow')
  const client = new Client({
    host,
    port,
    secure: secure === 'tls',
    auth: { user: username, pass: password },
    // True means required: the login fails before the password is sent.
    ...(secure !== 'tls' && { doSTARTTLS: secure === 'starttls' }),
    transport: over(socket),
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: idleMs,
    maxLineLength,
    maxLiteralSize: maxMessageBytes,
    maxResponseSize,
    maxResponseTokens,
  } satisfies ImapFlowOptions)
  // An error of the session also rejects the current command.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    client.close()
    socket.destroy()
    throw new ImapError(explain(error as ImapFailure))
  }
}

/** TLS over the guarded socket. The certificate must match the name that the user entered. */
function over(socket: Socket): NonNullable<ImapFlowOptions['transport']> {
  const secure = (host: string, onSecure: () => void): TLSSocket =>
    connectTls(
      { socket, ...(isIP(host) === 0 && { servername: host }), rejectUnauthorized: true },
      onSecure,
    )
  return {
    connect: ({ host, secure: isSecure }, onConnect) => {
      if (isSecure) return secure(host, onConnect)
      setImmediate(onConnect)
      return socket
    },
    upgrade: (_plain, { host }, onSecure) => secure(host, onSecure),
  }
}

interface ImapFailure extends Error {
  code?: string
  authenticationFailed?: boolean
  /** NO or BAD. */
  responseStatus?: string
  responseText?: string
}

/**
 * Whether an error is the server's: its answer to a command, or the end of the connection. Errors
 * of the database have codes as well.
 */
function isOfServer(error: unknown, { usable }: ImapFlow): error is ImapFailure {
  const { code, responseStatus } = error as ImapFailure
  return typeof responseStatus === 'string' || (typeof code === 'string' && !usable)
}

function explain(error: ImapFailure): string {
  const said = visibleText(error.responseText ?? error.message)
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300)
  if (/STARTTLS/i.test(error.message)) {
    return 'the IMAP server offers no STARTTLS, so no password was sent: set secure to "tls", or in an allowed network to "none"'
  }
  if (error.authenticationFailed === true) return `the IMAP server refused the login: ${said}`
  return `the IMAP server cannot be used: ${said}`
}
